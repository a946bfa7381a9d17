import { existsSync, readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { sample, sampleTitle } from '../../../test/deep.ts'
import { conformance } from '../src/conformance.ts'
import type { Report } from '../src/model.ts'
import type { ConformanceOptions } from '../src/options/options.ts'

const PLUGINS = '/usr/lib/cni'
const runs = process.getuid?.() === 0 && existsSync(`${PLUGINS}/static`)

const check = (name: string, options: Omit<ConformanceOptions, 'plugin'>) =>
  conformance({ plugin: `${PLUGINS}/${name}`, ...options })
const outcome = (report: Report, id: string) => report.results.find((result) => result.id === id)?.outcome
const failed = ({ results }: Report) =>
  results.flatMap(({ id, outcome }) => (outcome.status === 'fail' ? [id] : [])).sort()

/** Runs of all checks. */
const whole = sample(['static', 'host-local', 'portmap'], () => 'whole')

describe.runIf(runs)(`results of Debian's plugins are judged correctly, ${sampleTitle}`, () => {
  const addresses = [{ address: '10.79.1.3/24', gateway: '10.79.1.1' }]
  const same = {
    status: 'note',
    notes: ['all pods got the address 10.79.1.3/24, as the configuration asks for it'],
  }

  test.runIf(whole.includes('static'))(
    'static: an address without an interface, the same for every pod',
    async () => {
      const report = await check('static', { conf: { ipam: { type: 'static', addresses } } })
      // like every Go plugin, its errors have no cniVersion
      expect(failed(report)).toEqual(['errors.members'])
      expect(report).toMatchObject({ verdict: 'conforms', unchecked: [] })
      const notes = ['addresses of no interface, not looked for in the pod: 10.79.1.3/24']
      expect(outcome(report, 'add.truth')).toEqual({ status: 'note', notes })
      expect(outcome(report, 'concurrency.pods')).toEqual(same)
    },
    120_000,
  )

  test.runIf(whole.includes('host-local'))(
    'host-local: its leases disappear with the pod; its file of the last address is a note',
    async () => {
      const report = await check('host-local', { conf: { ipam: { type: 'host-local', subnet: '10.79.2.0/24' } } })
      expect(failed(report)).toEqual(['errors.members'])
      expect(report).toMatchObject({ verdict: 'conforms', unchecked: [] })
      const folder = '/var/lib/cni/networks'
      const files = ['', 'conformance/', 'conformance/last_reserved_ip.0', 'conformance/lock']
      const notes = [`the first pod leaves ${files.map((file) => `${folder}/${file}`).join('; ')}`]
      expect(outcome(report, 'isolation.state')).toEqual({ status: 'note', notes })
      expect(outcome(report, 'concurrency.pods')).toEqual({ status: 'pass' })
    },
    120_000,
  )

  test('host-local with a requested address: only one pod at a time can have it', async () => {
    const ipam = { type: 'host-local', subnet: '10.79.2.0/24' }
    const conf = { args: { cni: { ips: ['10.79.2.77'] } }, ipam }
    const report = await check('host-local', {
      conf,
      only: ['concurrency', 'version.claims', 'env.container-id-accepted'],
    })
    expect(failed(report)).toEqual([])
    const reason = 'the configuration asks for an address that one pod at a time can have'
    expect(outcome(report, 'concurrency.pods')).toEqual({ status: 'skipped', reason })
  }, 120_000)

  test('ptp with a static address and a default route: both are in the pod', async () => {
    const conf = { ipam: { type: 'static', addresses, routes: [{ dst: '0.0.0.0/0' }] } }
    const report = await check('ptp', { conf, only: ['add.truth', 'concurrency'] })
    expect(outcome(report, 'add.truth')).toEqual({ status: 'pass' })
    expect(outcome(report, 'concurrency.pods')).toEqual(same)
  }, 120_000)

  test('sbr: routes that moved to another table are neither lost nor invented', async () => {
    const report = await check('sbr', {
      conf: {},
      chained: true,
      only: ['add.truth', 'prev-result.kept', 'check.tampered'],
    })
    expect(report).toMatchObject({ verdict: 'conforms', counts: { pass: 2 } })
    const reason = expect.stringMatching(/^ADD changed only what is not undone here: .*route unicast .* in the pod/)
    expect(outcome(report, 'check.tampered')).toEqual({ status: 'skipped', reason })
  }, 120_000)

  test('host-local: the report names the remaining lease', async () => {
    const conf = { ipam: { type: 'host-local', ranges: [[{ subnet: '10.78.0.0/24' }]] } }
    const report = await check('host-local', { conf, only: ['check.tampered'] })
    const reason = expect.stringMatching(
      /^ADD changed only what .*: .*file \/var\/lib\/cni\/networks\/\S+\/10\.78\.0\.\d+/,
    )
    expect(outcome(report, 'check.tampered')).toEqual({ status: 'skipped', reason })
  }, 120_000)

  test('bandwidth: the report names the remaining qdisc', async () => {
    const runtimeConfig = { bandwidth: { ingressRate: 1_000_000, ingressBurst: 1_000_000 } }
    const report = await check('bandwidth', { conf: { runtimeConfig }, chained: true, only: ['check.tampered'] })
    const reason = expect.stringMatching(
      /^ADD changed only what is not undone here: .*qdisc tbf root dev \S+ on the node/,
    )
    expect(outcome(report, 'check.tampered')).toEqual({ status: 'skipped', reason })
  }, 120_000)

  test('sbr: its lock for a missing namespace is not created on the machine', async () => {
    const left = () =>
      existsSync('/run/netns') ? readdirSync('/run/netns').filter((name) => name.startsWith('conf')) : []
    const before = left()
    await check('sbr', { conf: {}, chained: true, only: ['del.after-failed-add'] })
    expect(left()).toEqual(before)
  }, 120_000)

  test.runIf(whole.includes('portmap'))(
    'portmap, in the version of its configuration',
    async () => {
      const runtimeConfig = { portMappings: [{ hostPort: 8080, containerPort: 80, protocol: 'tcp' }] }
      const conf = { cniVersion: '0.3.1', runtimeConfig }
      const report = await check('portmap', { conf, chained: true, skip: ['signals', 'concurrency'] })
      expect(report).toMatchObject({ verdict: 'conforms', version: '0.3.1' })
      expect(failed(report)).toEqual(['errors.members', 'isolation.node', 'prev-result.unknown'])
      expect(outcome(report, 'check.after-add')).toMatchObject({ status: 'skipped' })
      expect(outcome(report, 'isolation.state')).toEqual({ status: 'pass' })
    },
    120_000,
  )
})
