import { describe, expect, test } from 'vitest'
import { sample, sampleTitle } from '../../../test/deep.ts'
import { checks } from '../src/checks.ts'
import { conformance } from '../src/conformance.ts'
import type { Finding } from '../src/model.ts'
import { plantedPlugin } from './planted-plugin.ts'

interface Planted {
  readonly defect: string
  /** Id of the check that must find the defect. */
  readonly check: string
  readonly says: string
  readonly alone?: true
  readonly severity?: Finding['severity']
  readonly timeout?: number
}

const chained: readonly Planted[] = [
  { defect: 'log-on-stdout', check: 'add.document', says: 'ADD prints something else on stdout: "added the pod"' },
  { defect: 'prints-ok', check: 'add.document', says: 'ADD succeeds without a result: "ok\\n"' },
  { defect: 'prints-nothing', check: 'add.document', says: 'ADD succeeds without a result: ""' },
  { defect: 'second-document', check: 'add.document', says: 'ADD prints 2 JSON documents' },
  { defect: 'drops-prev-result', check: 'prev-result.kept', says: "prevResult's interface eth0 is not in the result" },
  { defect: 'drops-address', check: 'prev-result.kept', says: "prevResult's address fd00:213::" },
  { defect: 'drops-routes', check: 'prev-result.kept', says: "prevResult's route to 0.0.0.0/0 is not in the result" },
  {
    defect: 'deletes-route-silently',
    check: 'add.truth',
    says: 'the result lists the route to 0.0.0.0/0 by 10.213.0.1, the pod does not have it',
    severity: 'advice',
  },
  { defect: 're-versions', check: 'prev-result.version', says: 'prevResult in 1.0.0 came back as "1.1.0"' },
  {
    defect: 'drops-unknown',
    check: 'prev-result.unknown',
    says: 'an unknown member of the result is lost',
    severity: 'advice',
  },
  { defect: 'silent', check: 'errors.document', says: 'without output on stdout' },
  { defect: 'text-error', check: 'errors.document', says: 'with stdout that is not an error document' },
  { defect: 'log-before-error', check: 'errors.document', says: 'with more on stdout than one error document' },
  { defect: 'exit-0', check: 'errors.exit-code', says: 'an error document and exit code 0' },
  { defect: 'error-shape', check: 'errors.members', says: 'an error has the code "6"' },
  { defect: 'reserved-code', check: 'errors.members', says: 'an error has the code 42' },
  { defect: 'go-errors', check: 'errors.members', says: 'errors have no cniVersion', severity: 'advice' },
  { defect: 'del-fails-twice', check: 'del.idempotent', says: 'DEL, the second time: failed with code 999' },
  { defect: 'del-fails-twice', check: 'del.without-add', says: 'DEL without ADD: failed with code 999' },
  { defect: 'del-needs-netns', check: 'del.without-netns', says: 'DEL without CNI_NETNS: failed with code 4' },
  { defect: 'del-needs-netns', check: 'del.without-netns', says: 'DEL with an empty CNI_NETNS: failed with code 4' },
  { defect: 'del-needs-live-netns', check: 'del.netns-gone', says: 'DEL with the path of a namespace that is gone' },
  { defect: 'del-needs-live-netns', check: 'del.after-failed-add', says: 'DEL after a failed ADD: failed' },
  { defect: 'del-needs-prev-result', check: 'del.without-prev-result', says: 'DEL without prevResult: failed' },
  { defect: 'crash', check: 'del.idempotent', says: 'DEL after ADD: killed by SIGSEGV' },
  { defect: 'version-lies', check: 'version.refuses', says: 'ADD with cniVersion "1.0.0": accepted' },
  {
    defect: 'claims-unknown',
    check: 'version.claims',
    says: 'claims versions that do not exist: "7.7.7"',
    severity: 'advice',
  },
  { defect: 'claims-but-refuses', check: 'version.claims', says: 'ADD with cniVersion 0.4.0: failed with code 1' },
  { defect: 're-versions', check: 'version.claims', says: 'ADD with cniVersion 0.4.0: the result is in "1.1.0"' },
  { defect: 'version-waits', check: 'version.open-stdin', says: 'VERSION waits for stdin to end' },
  { defect: 'version-needs-stdin', check: 'version.bare', says: 'VERSION without stdin and without other variables' },
  { defect: 'version-shape', check: 'version.probe', says: 'supportedVersions is undefined' },
  { defect: 'any-version', check: 'version.refuses', says: 'ADD with cniVersion "9.9.9": accepted' },
  { defect: 'no-gates', check: 'version.gates', says: 'STATUS with cniVersion 1.0.0: accepted' },
  { defect: 'missing-env', check: 'env.missing', says: 'DEL with an empty CNI_IFNAME' },
  { defect: 'nameless-env', check: 'env.missing', says: 'the error does not name CNI_NETNS' },
  { defect: 'bad-ids', check: 'env.container-id', says: 'CNI_CONTAINERID="../x": accepted' },
  { defect: 'wrong-codes', check: 'env.container-id', says: 'CNI_CONTAINERID=".a": error code 100, expected 4' },
  { defect: 'short-ids', check: 'env.container-id-accepted', says: `CNI_CONTAINERID="${'f'.repeat(64)}": failed` },
  { defect: 'bad-if-names', check: 'env.if-name', says: 'CNI_IFNAME="test/test": accepted' },
  { defect: 'unknown-verb', check: 'env.unknown-command', says: 'CNI_COMMAND="NOPE": accepted' },
  { defect: 'lower-case', check: 'env.unknown-command', says: 'CNI_COMMAND="add": accepted' },
  { defect: 'strict-args', check: 'env.kubernetes', says: 'ARGS: unknown args' },
  { defect: 'trailing-text', check: 'stdin.malformed', says: 'a configuration with text after it: accepted' },
  { defect: 'wrong-codes', check: 'stdin.malformed', says: 'nothing on stdin: error code 7, expected 6' },
  { defect: 'bad-names', check: 'stdin.name', says: 'name "a/b": accepted' },
  { defect: 'check-fails', check: 'check.after-add', says: 'CHECK after ADD: failed with code 999' },
  {
    defect: 'check-blind',
    check: 'check.tampered',
    says: 'CHECK after another program flushed the nftables ruleset in the pod',
  },
  { defect: 'prints-on-del', check: 'stdout.del', says: 'DEL prints on stdout' },
  { defect: 'prints-on-check', check: 'stdout.check', says: 'CHECK prints on stdout' },
  { defect: 'prints-on-gc', check: 'stdout.gc', says: 'GC prints on stdout' },
  { defect: 'prints-on-status', check: 'stdout.status', says: 'STATUS prints on stdout' },
  {
    defect: 'ignores-term',
    check: 'signals.term',
    says: 'SIGTERM does not end it within',
    severity: 'advice',
  },
  { defect: 'never-gives-up', check: 'signals.closed-stdout', says: 'when stdout has no reader', timeout: 5000 },
  {
    defect: 'dies-without-stderr',
    check: 'signals.closed-stderr',
    says: 'ADD fails when stderr has no reader',
    severity: 'advice',
  },
  { defect: 'fails-at-random', check: 'concurrency.pods', says: 'one of 8 ADDs at once: failed with code 11: busy' },
  {
    defect: 'keeps-rules',
    check: 'isolation.pod',
    says: 'DEL leaves in the pod: + nft table ip planted',
    severity: 'advice',
  },
  {
    defect: 'leaks-on-node',
    check: 'isolation.node',
    says: 'every pod leaves something on the node: + nft table ip leak',
  },
  {
    defect: 'address-on-node',
    check: 'isolation.node',
    says: 'the first pod leaves on the node: + address 10.9.9.9/32 dev lo',
    severity: 'advice',
  },
  { defect: 'leaves-files', check: 'isolation.state', says: 'every pod leaves files: /run/planted/conformance-' },
  {
    defect: 'leaves-to-gc',
    check: 'isolation.state',
    says: 'only GC removes what DEL leaves: /run/planted/conformance-',
    severity: 'advice',
  },
  {
    defect: 'keeps-a-list',
    check: 'isolation.state',
    says: 'the pod is still named in /var/lib/cni/planted.list',
    severity: 'advice',
  },
  {
    defect: 'gc-blind',
    check: 'isolation.gc',
    says: 'GC leaves of a pod that is gone: file /run/planted/conformance-',
    severity: 'advice',
  },
  {
    defect: 'gc-takes-all',
    check: 'isolation.gc',
    says: 'GC takes away what a valid attachment has: file /run/planted/conformance-',
  },
]

const alone: readonly Planted[] = [
  { defect: 'replaces', check: 'add.exists', says: 'ADD with eth0 in the pod: accepted' },
  { defect: 'replaces', check: 'add.exists', says: 'removed the eth0 that was there' },
  { defect: 'lies', check: 'add.truth', says: 'the result lists the interface eth7, the pod has none' },
  { defect: 'bad-index', check: 'add.truth', says: 'refers to interface 7, there are 2' },
  {
    defect: 'invents-route',
    check: 'add.truth',
    says: 'the result lists the route to 192.0.2.0/24 by 10.44.0.1, the pod does not have it',
    severity: 'advice',
  },
  { defect: 'same-address', check: 'concurrency.pods', says: 'two of 8 pods got the address 10.44.0.5/16' },
  { defect: 'keeps-rules', check: 'isolation.pod', says: 'DEL leaves in the pod: + link eth0' },
  {
    defect: 'check-blind',
    check: 'check.tampered',
    says: 'CHECK after another program deleted the link eth0 in the pod',
  },
]

const root = process.getuid?.() === 0

describe.runIf(root).concurrent(`each planted defect is found by its check, ${sampleTitle}`, () => {
  const all = [...chained, ...alone.map((planted) => ({ ...planted, alone: true as const }))]
  // One defect for each group of checks and kind of plugin.
  const drawn = sample(all, ({ check, alone }) => `${check.split('.')[0]} ${alone}`)
  test.each(drawn)('$check finds $defect: $says', async ({ defect, check, says, alone, severity, timeout }) => {
    using plugin = plantedPlugin(alone !== true, [defect])
    const report = await conformance({
      plugin: plugin.path,
      chained: alone !== true,
      only: [check],
      timeout: timeout ?? 10_000,
    })
    const [result] = report.results
    const findings = result?.outcome.status === 'fail' ? result.outcome.findings : []
    const found = findings.find(({ summary }) => summary.includes(says))
    expect(found?.summary ?? JSON.stringify(result?.outcome)).toContain(says)
    expect(found).toMatchObject({ severity: severity ?? 'violation', spec: expect.stringMatching(/SPEC|CONVENTIONS/) })
    expect(report.conforms).toBe(!findings.some((finding) => finding.severity === 'violation'))
  })

  test('a plugin that always hangs is executed only until the timeout has passed a few times', async () => {
    using plugin = plantedPlugin(true, ['hangs-always'])
    const report = await conformance({ plugin: plugin.path, chained: true, timeout: 700 })
    // The fifth hang ends the run after the current check. A full run has about a hundred executions.
    expect(report.executions).toBeGreaterThanOrEqual(5)
    expect(report.executions).toBeLessThan(20)
    expect(report.verdict).toBe('violations')
    const reason = 'gave up: 5 executions did not end in time'
    const given = report.results.filter(({ outcome }) => outcome.status === 'blocked' && outcome.reason === reason)
    expect(given.length).toBeGreaterThan(checks.length / 2)
    expect(report.unchecked).toContainEqual({ reason, checks: given.map(({ id }) => id) })
    const crash = report.results.find(({ id }) => id === 'errors.crash')?.outcome
    expect(crash).toMatchObject({ findings: [{ summary: expect.stringContaining('no end within 0.7 s') }] })
  })

  test('a plugin whose ADD hangs is distinguished from one that fails', async () => {
    using plugin = plantedPlugin(true, ['hangs'])
    const only = ['add.works', 'errors.crash']
    const { results } = await conformance({ plugin: plugin.path, chained: true, timeout: 5000, only })
    const [works, crash] = only.map((id) => results.find((result) => result.id === id)?.outcome)
    expect(works).toMatchObject({ findings: [{ summary: 'ADD with this configuration did not end in time' }] })
    expect(crash).toMatchObject({ findings: [{ summary: 'one execution: no end within 5 s' }] })
  })
})

// Runs all checks against these plugins. The examples' own tests do the same for their plugins.
const whole = sample(['chained', 'alone', 'in another language'], () => 'whole')

describe.runIf(root)(`a correct plugin has no findings, ${sampleTitle}`, () => {
  test.each([true, false].filter((chained) => whole.includes(chained ? 'chained' : 'alone')))(
    'chained: %j',
    async (chained) => {
      using plugin = plantedPlugin(chained, [])
      const report = await conformance({ plugin: plugin.path, chained })
      expect(report.results.filter(({ outcome }) => outcome.status === 'fail')).toEqual([])
      expect(report).toMatchObject({ verdict: 'conforms', conforms: true, unchecked: [] })
      // Lists skipped checks: a suite that skips everything would also pass.
      const skipped = report.results.filter(({ outcome }) => outcome.status === 'skipped').map(({ id }) => id)
      const expected = ['isolation.untouched', 'prev-result.kept', 'prev-result.version', 'prev-result.unknown']
      expect(skipped).toEqual(chained ? ['add.exists'] : expected)
    },
    120_000,
  )

  test.runIf(whole.includes('in another language'))(
    'in another language: POSIX shell and sed',
    async () => {
      const plugin = new URL('fixtures/passthrough.sh', import.meta.url).pathname
      const report = await conformance({ plugin, chained: true })
      expect(report.results.filter(({ outcome }) => outcome.status === 'fail')).toEqual([])
      const skipped = report.results.filter(({ outcome }) => outcome.status === 'skipped').map(({ id }) => id)
      expect(skipped).toEqual(['isolation.gc', 'add.exists', 'check.tampered'])
      expect(report.verdict).toBe('conforms')
    },
    120_000,
  )

  test.each(sample(['deletes-route', 'deletes-address'], () => 'deletes'))(
    'a plugin that removes an item on purpose and reports that: %s',
    async (defect) => {
      using plugin = plantedPlugin(true, [defect])
      const only = ['results', 'isolation', 'del', 'check']
      const report = await conformance({ plugin: plugin.path, chained: true, only })
      // The plugin does not restore the item.
      const failed = report.results.filter(({ outcome }) => outcome.status === 'fail').map(({ id }) => id)
      expect(failed).toEqual(['isolation.pod', 'del.without-prev-result'])
      expect(report).toMatchObject({ verdict: 'conforms', counts: { violation: 0 } })
      expect(report.results.find(({ id }) => id === 'prev-result.kept')?.outcome).toEqual({
        status: 'note',
        notes: [expect.stringMatching(/^prevResult's (route|address) .* is gone from the result, and from the pod$/)],
      })
    },
    120_000,
  )

  test('a plugin whose configuration requests one address gives it to every pod', async () => {
    using plugin = plantedPlugin(false, ['same-address'])
    const conf = { ipam: { type: 'static', addresses: [{ address: '10.44.0.5/16' }] } }
    const report = await conformance({ plugin: plugin.path, conf, only: ['concurrency'] })
    expect(report.results[0]?.outcome).toEqual({
      status: 'note',
      notes: ['all pods got the address 10.44.0.5/16, as the configuration asks for it'],
    })
  }, 120_000)
})
