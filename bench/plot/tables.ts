// Writes the tables of docs/performance.md and docs/benchmarks.md from a report of `npm run bench`.
import { table, withTexts } from '../../scripts/lib/markdown.ts'
import type { Report } from '../lib/report/report.ts'
import { difference, type Find, finder, ms, ratioOf, withP99 } from './cells.ts'

const SERVED = 'ours, served'

/** Table rows of plugin calls. A row without `name` shows the plugin that works without the agent. */
const VERBS: readonly (readonly [group: string, label?: string, name?: string])[] = [
  ['VERSION'],
  ['ADD, mesh pod', 'ADD, mesh pod, plugin alone'],
  ['ADD, mesh pod', 'ADD, mesh pod, served by the agent', SERVED],
  ['ADD, mesh pod, annotations handed over', 'ADD, mesh pod, plugin alone, annotations from the runtime'],
  ['ADD, mesh pod, native', 'ADD, mesh pod, plugin alone, nftables rules'],
  ['ADD, pod outside the mesh', 'ADD, pod outside the mesh, plugin alone'],
  ['ADD, pod outside the mesh', 'ADD, pod outside the mesh, served by the agent', SERVED],
  ['ADD, pod outside the mesh, annotations handed over', 'ADD, pod outside the mesh, annotations from the runtime'],
  ['ADD, excluded namespace'],
  ['CHECK, mesh pod', 'CHECK, mesh pod (a no-op in Istio’s plugin)'],
  ['DEL, mesh pod', 'DEL, mesh pod (a no-op in Istio’s plugin)'],
  ['mesh pods, 8 at a time', 'ADD, 8 mesh pods at a time, plugin alone'],
  ['mesh pods, 8 at a time', 'ADD, 8 mesh pods at a time, served by the agent', SERVED],
]

/** Pages that contain generated benchmark tables. */
export const PAGES = ['docs/performance.md', 'docs/benchmarks.md'] as const

/** Map from a name in the benchmark pages' markers to its Markdown table. */
export function tables(report: Report): Record<string, string> {
  const of = finder(report)
  return {
    machine: machine(report),
    suites: suitesTable(report),
    served: `For each served ADD the agent uses ${ms(of('plugin', 'ADD, mesh pod', SERVED, 'CPU ms of the agent'))} ms of CPU time in addition.`,
    plugin: pluginTable(of),
    runtimes: runtimesTable(of, report),
    steps: table(['ADD of a mesh pod, step by step', 'ms', 'so far'], steps(of)),
    rules: rulesTable(of),
    native: nativeTable(of),
    chains: chainsTable(of),
    agent: agentTable('agent', report, of),
    ambient: agentTable('ambient', report, of),
    load: loadTable(report),
  }
}

/** Writes each benchmark table into a page, between the markers `<!-- bench: NAME -->` and `<!-- end -->`. */
export const withTables = (page: string, report: Report) => withTexts(page, 'bench', tables(report))

/** Table of the suites in the report. Results of older versions have no commit. */
function suitesTable({ suites }: Report) {
  const rows = Object.entries(suites).map(([name, { date, commit = '', load, settings }]) => {
    const used = Object.entries(settings).map(([key, value]) => `${key} ${value}`)
    return [`\`${name}\``, date.slice(0, 10), commit, String(load), used.join(', ')]
  })
  return table(['suite', 'day', 'commit', 'load', 'settings'], rows)
}

function machine({ machine: { cpu, cores, kernel }, versions, peers, suites }: Report) {
  const days = [...new Set(Object.values(suites).map(({ date }) => date.slice(0, 10)))].sort()
  const loads = Object.values(suites).map(({ load }) => load)
  const period = [...new Set([days[0], days.at(-1)])].join(' to ')
  return [
    `- Machine: ${cores} × ${cpu}, Linux ${kernel.replace(/-.*/, '')}, iptables ${versions.iptables}, bun ${versions.bun}.`,
    `- Measured: ${period}, with a load of ${Math.min(...loads)} to ${Math.max(...loads)}.`,
    `- Measured against: ${peers.join(', ') || 'none found'}.`,
  ].join('\n')
}

function pluginTable(of: Find) {
  const rows = VERBS.map(([group, label = group, name = 'ours']) => {
    const [ours, original] = [name, 'original'].map((each) => withP99(of, 'plugin', group, each))
    const ratio = (quantity: string) => ratioOf(of('plugin', group, name, quantity), 'original')
    const memory = [name, 'original'].map((each) => ms(of('plugin', group, each, 'peak MB'), 0))
    return [label, ours ?? '', original ?? '', ratio('ms'), ratio('CPU ms'), memory.filter(Boolean).join(' / ')]
  })
  return table(['', 'ours, ms', 'Istio’s, ms', 'time ratio', 'CPU ratio', 'peak MB, ours / Istio’s'], rows)
}

/** Table of the plugins on each runtime: the time of each verb, and its ratio to a Go plugin. */
function runtimesTable(of: Find, { suites }: Report) {
  const names =
    suites.runtimes?.measures.filter(({ group, quantity }) => group === 'VERSION' && quantity === 'ms') ?? []
  const verbs = ['VERSION', 'ADD', 'CHECK', 'DEL']
  const rows = names.map(({ name }) => {
    const times = verbs.map((verb) => {
      const one = of('runtimes', verb, name)
      const ratio = ratioOf(one, 'Go, tuning')
      return one === undefined ? '' : `${one.median.toFixed(one.median < 2 ? 2 : 1)}${ratio && ` (${ratio})`}`
    })
    const [memory, file] = [of('runtimes', 'ADD', name, 'peak MB'), of('runtimes', 'the file', name, 'MB')]
    return [name, ...times, ms(memory, 1), ms(file, 1)]
  })
  return table(['', ...verbs.map((verb) => `${verb}, ms`), 'peak MB', 'file, MB'], rows)
}

/** Table of the steps of an ADD. It shows by how much each step raises the median time. */
function steps(of: Find): string[][] {
  const rows = [
    ['the bare runtime', of('plugin', 'VERSION', 'bare runtime')],
    ['start-up: our code, up to the answer to VERSION', of('plugin', 'VERSION')],
    ['configuration, log, result', of('plugin', 'ADD, excluded namespace')],
    ['kubeconfig and one request to the API server', of('plugin', 'ADD, pod outside the mesh')],
    ['state and rules', of('plugin', 'ADD, mesh pod')],
  ] as const
  const cells = rows.map(([label, one], index) => [
    label,
    index === 0 ? ms(one) : difference(one, rows[index - 1]?.[1]),
    ms(one),
  ])
  return [...cells, ...floor(of)]
}

/** Table rows for the minimum time of an ADD and our plugin's additional time. */
function floor(of: Find): string[][] {
  const need = (name: string) => of('plugin', 'what a mesh ADD needs', name)?.median
  const [request, entering, restoring] = ['a request', 'nsenter', 'nsenter and iptables-restore'].map(need)
  const ours = of('plugin', 'ADD, mesh pod')?.median
  if (request === undefined || entering === undefined || restoring === undefined || ours === undefined) return []
  const least = request + restoring - entering
  return [
    ['*minimum: the runtime, one request, one `iptables-restore`*', '', least.toFixed(1)],
    ['*ours above the minimum*', (ours - least).toFixed(1), ''],
  ]
}

function rulesTable(of: Find) {
  const rows = [30, 300, 3000].flatMap((count) =>
    ['nft', 'legacy'].map((backend) => {
      const [apply, verify] = ['apply', 'verify'].map((verb) => `${verb}, ${count} rules, ${backend}`)
      const one = (group: string | undefined, name: string) => of('iptables', group ?? '', name)
      return [
        `${count} rules, ${backend}`,
        ms(one(apply, 'ours')),
        ratioOf(one(apply, 'ours'), 'iptables-restore'),
        ms(one(apply, 'one process per rule'), 0),
        ms(one(verify, 'ours')),
        ratioOf(one(verify, 'ours'), 'iptables-save'),
      ]
    }),
  )
  const head = [
    '',
    'apply, ms',
    '÷ `iptables-restore` alone',
    'one process per rule, ms (300 timed)',
    'verify, ms',
    '÷ `iptables-save` alone',
  ]
  return table(head, rows)
}

function nativeTable(of: Find) {
  const rows = [30, 300, 3000].map((count) => {
    const cells = (verb: string, to: string) => {
      const one = of('nftables', `${verb}, ${count} rules`)
      return [ms(one), ratioOf(one, to)]
    }
    return [`${count} rules`, ...cells('apply', 'nft -f'), ...cells('verify', 'nft -j list')]
  })
  return table(['', 'apply, ms', '÷ `nft -f`', 'verify, ms', '÷ `nft -j list`'], rows)
}

function chainsTable(of: Find) {
  const row = (group: string, to: string, name = 'ours') => [
    group,
    ms(of('libcni', group, name)),
    to,
    ms(of('libcni', group, to)),
    ratioOf(of('libcni', group, name), to),
  ]
  return table(
    ['', 'ours, ms', 'beside', 'ms', 'ratio'],
    [
      row('chain of three, ADD', 'sum of its parts'),
      row('chain of three, DEL', 'sum of its parts'),
      row('cnitool add, chain of three', 'original'),
      row('cnitool del, chain of three', 'original'),
      row('cnitool status, nothing to execute', 'original'),
      row('VERSION', 'loopback', 'ours (no-op)'),
      row('ADD of one plugin', 'tuning', 'ours (no-op)'),
    ],
  )
}

/** Table of the load suite: median and maximum time of each plugin. */
function loadTable({ suites }: Report) {
  const measures = suites.load?.measures
  if (measures === undefined) return 'Not stored yet: `npm run bench -- --suite load --save`.'
  const names = [...new Set(measures.map(({ name }) => name))]
  const rows = names.map((name) => {
    const one = (quantity: string) => measures.find((each) => each.name === name && each.quantity === quantity)
    const ratio = (quantity: string): string => {
      const to = ratioOf(one(quantity), 'original')
      return to && ` (${to})`
    }
    const cells = ['ms', 'p99 ms', 'max ms', 'all of them, ms', 'CPU ms'].map(
      (quantity) => `${ms(one(quantity), 0)}${ratio(quantity)}`,
    )
    return [name, ...cells, ms(one('failed'), 0)]
  })
  return table(['', 'p50, ms', 'p99, ms', 'max, ms', 'all of them, ms', 'CPU, ms', 'failed'], rows)
}

function agentTable(suite: 'agent' | 'ambient', report: Report, of: Find) {
  const measures = report.suites[suite]?.measures ?? []
  const rows = measures.filter(({ name, quantity }) => name === 'ours' && !quantity.startsWith('p99'))
  return table(
    ['', 'ours', 'original', 'ratio'],
    rows.map(({ group, quantity }) => {
      const [ours, original] = ['ours', 'original'].map((name) => withP99(of, suite, group, name, quantity))
      return [
        `${group}, ${quantity}`,
        ours ?? '',
        original ?? '',
        ratioOf(of(suite, group, 'ours', quantity), 'original'),
      ]
    }),
  )
}
