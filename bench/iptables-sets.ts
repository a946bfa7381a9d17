/** Measures the time to replace the content of an ipset. Compares our library with a bare `ipset restore`. */
import { ipset } from '@cni/ipset'
import { type Netns, netns } from '@cni/netns'
import { inside } from './lib/race/inside.ts'
import { SuiteReport, settings } from './lib/race/suite.ts'

const used = settings({ runs: 10 })
const suite = new SuiteReport('The content of a set, in a namespace of its own; 65000 entries: 5 runs', used)

const spec = { type: 'hash:ip', family: 'ipv4', comment: true } as const
for (const count of [10, 1000, 65_000]) {
  const before = entries(count, 10)
  const after = entries(count, 11)
  const set = (pod: Netns) => ipset(pod).set('bench', spec)
  const input = [
    'create other hash:ip family inet maxelem 65536 comment\n',
    ...after.map(({ entry, comment }) => `add other ${entry} comment "${comment}"\n`),
    'swap other bench\ndestroy other\n',
  ].join('')
  const full = (name: string, work: (pod: Netns) => Promise<unknown>) =>
    inside(name, work, (pod) => set(pod).replace(before))
  const restore = full('ipset restore', (pod) => netns.exec(pod, ['ipset', 'restore'], { input }))
  await suite.race(
    `${count} entries`,
    [
      { ...restore, reference: true },
      full('replace, not compared', (pod) => set(pod).replace(after, { compare: false })),
      full('replace', (pod) => set(pod).replace(after)),
      full('replace, equal', (pod) => set(pod).replace(before)),
      full('replace by change, one entry of all', (pod) =>
        set(pod).replace([...before.slice(1), ...after.slice(0, 1)], { by: 'change' }),
      ),
      full('list', (pod) => set(pod).list()),
    ],
    count > 10_000 ? Math.min(used.runs, 5) : used.runs,
  )
}
suite.write()

function entries(count: number, net: number): { entry: string; comment: string }[] {
  return Array.from({ length: count }, (_, i) => ({ entry: `${net}.0.${i >> 8}.${i & 255}`, comment: `pod-${i}` }))
}
