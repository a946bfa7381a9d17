/** apply and verify against one process per rule, the way of go-iptables, and against bare iptables-restore and -save. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, release } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { isRunError } from '@cni/host'
import { type Iptables, iptables, type Ruleset, restoreText, ruleset } from '@cni/iptables'
import { type Netns, netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { type Contender, race, type Timing } from './measure.ts'

const { values } = parseArgs({ options: { runs: { type: 'string', default: '5' }, pods: { type: 'string' } } })
const runs = Number(values.runs)
if (!Number.isInteger(runs) || runs < 1)
  throw new RangeError(`--runs: expected a positive integer, got "${values.runs}"`)

/** Of more rules than this, the time of one process per rule is that of so many, scaled: it costs seconds. */
const sampled = 300
const perRule = 'one process per rule'
const backends = ['nft', 'legacy'] as const
type Backend = (typeof backends)[number]

const cold = timeOf(() => restoreText(someRules(3000), 'ipv4'))
const report: { [suite: string]: Timing[] } = { 'builder and text, 3000 rules': await builder() }
for (const backend of backends) {
  for (const count of [30, 300, 3000]) {
    const rules = someRules(count)
    for (const [verb, contenders] of [
      ['apply', applyContenders(rules, backend)],
      ['verify', verifyContenders(rules, backend)],
    ] as const) {
      const [slow, ...fast] = contenders
      const timings = await race(fast, runs)
      const known = report[`${verb}, ${sampled} rules, ${backend}`]?.find(({ name }) => name === perRule)
      const scaled = count > sampled && known !== undefined ? scale(known, count / sampled) : undefined
      report[`${verb}, ${count} rules, ${backend}`] = [...timings, scaled ?? (await race([slow], 1))].flat()
      console.error(`${verb}, ${count} rules, ${backend}`)
    }
  }
}

const machine = `${cpus().length} × ${cpus()[0]?.model ?? '?'}, Linux ${release()}`
const root = fileURLToPath(new URL('..', import.meta.url))
mkdirSync(`${root}bench/report`, { recursive: true })
writeFileSync(`${root}bench/report/iptables.json`, `${JSON.stringify({ machine, runs, ...report }, null, 2)}\n`)
const text = markdown()
writeFileSync(`${root}bench/report/iptables.md`, text)
console.log(text)

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

function timeOf(work: () => unknown): number {
  const started = performance.now()
  work()
  return performance.now() - started
}

async function builder(): Promise<Timing[]> {
  const work = (name: string, run: () => unknown): Contender => ({
    name,
    prepare: async () => ({ run: async () => void run() }),
  })
  const built = someRules(3000)
  const warm = [work('builder', () => someRules(3000)), work('text', () => restoreText(built, 'ipv4'))]
  const both = work('ours', () => restoreText(someRules(3000), 'ipv4'))
  const first: Timing = { name: 'ours, first call', runs: 1, medianMs: cold, minMs: cold, maxMs: cold }
  return [...(await race([both, ...warm], Math.max(runs, 20))), first]
}

function scale(timing: Timing, factor: number): Timing {
  return {
    ...timing,
    name: `${timing.name} (${sampled} timed × ${factor})`,
    medianMs: timing.medianMs * factor,
    minMs: timing.minMs * factor,
    maxMs: timing.maxMs * factor,
  }
}

/** The rules as `iptables -A` and `-C` take them. */
function ruleArguments(rules: Ruleset): string[][] {
  const lines = restoreText(rules, 'ipv4').split('\n')
  return lines.filter((line) => line.startsWith('-A ')).map((line) => line.split(' ').slice(1))
}

function applyContenders(rules: Ruleset, backend: Backend): [Contender, ...Contender[]] {
  const input = restoreText(rules, 'ipv4')
  return [
    inside(perRule, async (pod) => {
      await netns.exec(pod, [`iptables-${backend}`, '--wait', '-N', 'EX'])
      for (const rule of ruleArguments(rules)) {
        if (!(await has(pod, backend, rule))) await netns.exec(pod, [`iptables-${backend}`, '--wait', '-A', ...rule])
      }
    }),
    inside('ours', async (pod) => {
      await ours(pod, backend).apply(rules)
    }),
    inside('iptables-restore', async (pod) => {
      await netns.exec(pod, [`iptables-${backend}-restore`, '--noflush'], { input })
    }),
  ]
}

function verifyContenders(rules: Ruleset, backend: Backend): [Contender, ...Contender[]] {
  const applied = async (pod: Netns) => {
    await ours(pod, backend).apply(rules)
  }
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
    inside(
      'iptables-save',
      async (pod) => {
        await netns.exec(pod, [`iptables-${backend}-save`])
      },
      applied,
    ),
  ]
}

function ours(pod: Netns, backend: Backend): Iptables {
  return iptables(pod, { backend, families: ['ipv4'] })
}

async function has(pod: Netns, backend: Backend, rule: readonly string[]): Promise<boolean> {
  try {
    await netns.exec(pod, [`iptables-${backend}`, '--wait', '-C', ...rule])
    return true
  } catch (error) {
    if (isRunError(error) && error.exitCode === 1) return false
    throw error
  }
}

/** Work in a namespace of its own, made and filled outside the clock. */
function inside(
  name: string,
  work: (pod: Netns) => Promise<void>,
  before: (pod: Netns) => Promise<void> = async () => undefined,
): Contender {
  return {
    name,
    async prepare() {
      const pod = await tempNetns()
      await before(pod)
      return { run: () => work(pod), cleanUp: () => pod[Symbol.asyncDispose]() }
    },
  }
}

function markdown(): string {
  const lines = [
    `In turn, milliseconds, median of ${runs} runs (one process per rule: 1) after one to warm up; IPv4.`,
    machine,
  ]
  for (const [suite, timings] of Object.entries(report)) {
    const base = timings.find(({ name }) => name === 'ours')?.medianMs ?? Number.NaN
    lines.push('', `| ${suite} | median | min | max | ÷ ours |`, '|---|---|---|---|---|')
    for (const { name, medianMs, minMs, maxMs } of timings) {
      const cells = [name, medianMs.toFixed(1), minMs.toFixed(1), maxMs.toFixed(1), `${(medianMs / base).toFixed(2)} ×`]
      lines.push(`| ${cells.join(' | ')} |`)
    }
  }
  return `${lines.join('\n')}\n`
}
