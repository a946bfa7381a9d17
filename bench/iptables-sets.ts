/** Replacing the content of a set against the bare `ipset restore` that does the same. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, release } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ipset } from '@cni/iptables/ipset'
import { type Netns, netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { type Contender, race, type Timing } from './measure.ts'

const { values } = parseArgs({ options: { runs: { type: 'string', default: '10' }, pods: { type: 'string' } } })
const runs = Number(values.runs)
if (!Number.isInteger(runs) || runs < 1)
  throw new RangeError(`--runs: expected a positive integer, got "${values.runs}"`)

const spec = { type: 'hash:ip', family: 'ipv4', comment: true } as const
const report: { [suite: string]: Timing[] } = {}
for (const count of [10, 1000, 65_000]) {
  const before = entries(count, 10)
  const after = entries(count, 11)
  const set = (pod: Netns) => ipset(pod).set('bench', spec)
  const input = [
    'create other hash:ip family inet maxelem 65536 comment\n',
    ...after.map(({ entry, comment }) => `add other ${entry} comment "${comment}"\n`),
    'swap other bench\ndestroy other\n',
  ].join('')
  const inside = (name: string, work: (pod: Netns) => Promise<unknown>): Contender => ({
    name,
    async prepare() {
      const pod = await tempNetns()
      await set(pod).replace(before)
      return { run: async () => void (await work(pod)), cleanUp: () => pod[Symbol.asyncDispose]() }
    },
  })
  report[`${count} entries`] = await race(
    [
      inside('ipset restore', (pod) => netns.exec(pod, ['ipset', 'restore'], { input })),
      inside('replace, not compared', (pod) => set(pod).replace(after, { compare: false })),
      inside('replace', (pod) => set(pod).replace(after)),
      inside('replace, equal', (pod) => set(pod).replace(before)),
      inside('replace by change, one entry of all', (pod) =>
        set(pod).replace([...before.slice(1), ...after.slice(0, 1)], { by: 'change' }),
      ),
      inside('list', (pod) => set(pod).list()),
    ],
    count > 10_000 ? Math.min(runs, 5) : runs,
  )
}

const machine = `${cpus().length} × ${cpus()[0]?.model ?? '?'}, Linux ${release()}`
const lines = [`In turn, milliseconds, median of ${runs} runs (5 for 65000 entries) after one to warm up.`, machine]
for (const [suite, timings] of Object.entries(report)) {
  const floor = timings[0]?.medianMs ?? Number.NaN
  lines.push('', `| ${suite} | median | min | max | ÷ ipset restore |`, '|---|---|---|---|---|')
  for (const { name, medianMs, minMs, maxMs } of timings) {
    const cells = [name, medianMs.toFixed(1), minMs.toFixed(1), maxMs.toFixed(1), `${(medianMs / floor).toFixed(2)} ×`]
    lines.push(`| ${cells.join(' | ')} |`)
  }
}
const text = `${lines.join('\n')}\n`
const root = fileURLToPath(new URL('..', import.meta.url))
mkdirSync(`${root}bench/report`, { recursive: true })
writeFileSync(`${root}bench/report/iptables-sets.json`, `${JSON.stringify({ machine, runs, ...report }, null, 2)}\n`)
writeFileSync(`${root}bench/report/iptables-sets.md`, text)
console.log(text)

function entries(count: number, net: number): { entry: string; comment: string }[] {
  return Array.from({ length: count }, (_, i) => ({ entry: `${net}.0.${i >> 8}.${i & 255}`, comment: `pod-${i}` }))
}
