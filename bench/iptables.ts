/** Compares `apply` and `verify` with one iptables process per rule, and with bare iptables programs. */
import { isRunError } from '@cni/host'
import { type Iptables, iptables, type Ruleset, ruleset } from '@cni/iptables'
import { restoreText } from '@cni/iptables/rules'
import { meshPod } from '@cni/istio-redirect/testing'
import { type Netns, netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { captureConfig } from '../packages/istio-rules/src/capture/config.ts'
import { redirectFor } from '../packages/istio-rules/src/capture/redirect.ts'
import { redirectRules } from '../packages/istio-rules/src/iptables/rules.ts'
import { podInfo } from '../packages/istio-rules/src/pod/pod-info.ts'
import type { Contender } from './lib/race/contender.ts'
import { inside } from './lib/race/inside.ts'
import { race } from './lib/race/race.ts'
import { SuiteReport, settings } from './lib/race/suite.ts'

const used = settings({ runs: 10 })
const suite = new SuiteReport(
  'IPv4 rules, each run in a namespace of its own; one process per rule: one run, of 3000 rules a tenth of them',
  used,
)

/** Maximum number of rules in a measurement with one process per rule. Larger numbers are extrapolated. */
const sampled = 300
const perRule = 'one process per rule'
const backends = ['iptables-nft', 'iptables-legacy'] as const
type Backend = (typeof backends)[number]
/** Label of an iptables back end, equal to the label in older reports. */
const labelOf = (backend: Backend): string => backend.replace('iptables-', '')

suite.add('builder and text, first call', 'ms', [{ name: 'ours', samples: [timeOf(someText)] }])
await suite.race('builder and text, 3000 rules', builders(), Math.max(used.runs, 20))
for (const backend of backends) {
  for (const count of [30, 300, 3000]) {
    const rules = someRules(count)
    for (const [verb, contenders] of [
      ['apply', applyContenders(rules, backend)],
      ['verify', verifyContenders(rules, backend)],
    ] as const) {
      const [slow, ...fast] = contenders
      const [timed = Number.NaN] =
        count > sampled
          ? [known(`${verb}, ${sampled} rules, ${labelOf(backend)}`) * (count / sampled)]
          : ((await race([slow], 1)).get(perRule) ?? []).map(({ ms }) => ms)
      const others = [{ name: perRule, reference: true, samples: [timed] }]
      await suite.race(`${verb}, ${count} rules, ${labelOf(backend)}`, fast, used.runs, others)
    }
  }
}
suite.add('verify, the rules of 1000 pods in turn', 'ms', [{ name: 'ours', samples: await verifiesOfPods() }])
suite.write()

function known(group: string): number {
  return suite.measures.find((one) => one.group === group && one.name === perRule)?.median ?? Number.NaN
}

function someRules(count: number): Ruleset {
  return ruleset({ filter: ['EX'] }, (t) => [
    t.filter.on('OUTPUT').only('ipv4').proto('tcp').jump('EX'),
    ...Array.from({ length: count - 1 }, (_, i) =>
      t.filter
        .on('EX')
        .only('ipv4')
        .proto('tcp')
        .dst(`10.${i >> 8}.${i & 255}.1/32`)
        .dport(1 + i)
        .return(),
    ),
  ])
}

/** Measures `verify` for many pods, as the node agent calls it. */
async function verifiesOfPods(): Promise<number[]> {
  const pod = podInfo(meshPod({ namespace: 'demo', name: 'mesh' }))
  const rules = redirectRules(captureConfig(redirectFor(pod), { ipv6: true }))
  await using stack = new AsyncDisposableStack()
  const pods: Netns[] = []
  for (let index = 0; index < 20; index++) pods.push(stack.use(await tempNetns()))
  for (const each of pods) await iptables(each).apply(rules)
  const samples: number[] = []
  for (let round = 0; round < 2 + used.runs; round++) {
    const begun = performance.now()
    for (let turn = 0; turn < 1000 / pods.length; turn++) for (const each of pods) await iptables(each).verify(rules)
    if (round >= 2) samples.push(performance.now() - begun)
  }
  return samples
}

function timeOf(work: () => unknown): number {
  const started = performance.now()
  work()
  return performance.now() - started
}

function someText(): string {
  return restoreText(someRules(3000), 'ipv4')
}

/** The reference converts objects to JSON and back: no other tool for building rule text exists. */
function builders(): Contender[] {
  const work = (name: string, run: () => unknown): Contender => ({
    name,
    prepare: async () => ({ run: async () => run() }),
  })
  const built = someRules(3000)
  const objects = restoreText(built, 'ipv4')
    .split('\n')
    .map((line) => ({ rule: line.split(' ') }))
  return [
    work('ours', someText),
    work('builder alone', () => someRules(3000)),
    work('text alone', () => restoreText(built, 'ipv4')),
    { ...work('JSON, there and back', () => JSON.parse(JSON.stringify(objects))), reference: true },
  ]
}

/** Converts the rules to arguments of the command `iptables`, without the first argument `-A` or `-C`. */
function ruleArguments(rules: Ruleset): string[][] {
  const lines = restoreText(rules, 'ipv4').split('\n')
  return lines.filter((line) => line.startsWith('-A ')).map((line) => line.split(' ').slice(1))
}

function applyContenders(rules: Ruleset, backend: Backend): [Contender, ...Contender[]] {
  const input = restoreText(rules, 'ipv4')
  return [
    inside(perRule, async (pod) => {
      await netns.exec(pod, [backend, '--wait', '-N', 'EX'])
      for (const rule of ruleArguments(rules)) {
        if (!(await has(pod, backend, rule))) await netns.exec(pod, [backend, '--wait', '-A', ...rule])
      }
    }),
    inside('ours', (pod) => ours(pod, backend).apply(rules)),
    {
      ...inside('iptables-restore', (pod) => netns.exec(pod, [`${backend}-restore`, '--noflush'], { input })),
      reference: true,
    },
  ]
}

function verifyContenders(rules: Ruleset, backend: Backend): [Contender, ...Contender[]] {
  const applied = (pod: Netns) => ours(pod, backend).apply(rules)
  return [
    inside(
      perRule,
      async (pod) => {
        for (const rule of ruleArguments(rules))
          if (!(await has(pod, backend, rule))) throw new Error(`missing: ${rule.join(' ')}`)
      },
      applied,
    ),
    inside('ours', (pod) => ours(pod, backend).verify(rules), applied),
    { ...inside('iptables-save', (pod) => netns.exec(pod, [`${backend}-save`]), applied), reference: true },
  ]
}

function ours(pod: Netns, backend: Backend): Iptables {
  return iptables(pod, { backend, families: ['ipv4'] })
}

async function has(pod: Netns, backend: Backend, rule: readonly string[]): Promise<boolean> {
  try {
    await netns.exec(pod, [backend, '--wait', '-C', ...rule])
    return true
  } catch (error) {
    if (isRunError(error) && error.exitCode === 1) return false
    throw error
  }
}
