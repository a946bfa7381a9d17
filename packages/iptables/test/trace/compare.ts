import { netns } from '@cni/netns'
import type { IptablesBackend } from '../../src/iptables-backend.ts'
import { parseSave } from '../../src/parse/saved-tables.ts'
import type { Family } from '../../src/rules/model.ts'
import { explain } from '../../src/trace/explain.ts'
import type { TraceOptions } from '../../src/trace/options.ts'
import { programOf } from '../modes.ts'
import { type Case, casesOf } from './expected.ts'
import type { Machine } from './machine.ts'
import type { Drawn } from './random-packets.ts'

/** Test setup with a real kernel, for a comparison with traces: namespace, back end, family and trace options. */
export interface Rig {
  readonly machine: Machine
  readonly backend: IptablesBackend
  readonly family: Family
  readonly options: TraceOptions
}

/** Result of comparing the traces and the kernel for one ruleset. */
export interface Comparison {
  readonly cases: number
  /** Number of rule matches that the traces predicted. */
  readonly hits: number
  /** Targets of the rules that matched a packet. */
  readonly targets: ReadonlySet<string>
  readonly disagreements: readonly string[]
}

/**
 * Compares the kernel with the traces. Repeats a comparison that found a difference, because the kernel's own packets
 * may have caused it.
 */
export async function compare(rig: Rig, text: string, drawn: readonly Drawn[]): Promise<Comparison> {
  const { cases, hits, targets, found } = await send(rig, text, drawn)
  if (found.length === 0) return { cases, hits, targets, disagreements: [] }
  const alone: string[] = []
  for (const one of drawn) {
    if ((await send(rig, text, [one])).found.length === 0) continue
    const again = await send(rig, text, [one])
    if (again.found.length > 0) alone.push([...again.found, ...again.explained, text].join('\n'))
  }
  if (alone.length > 0) return { cases, hits, targets, disagreements: alone }
  const again = await send(rig, text, drawn)
  const together = again.found.length === 0 ? [] : [['only together:', ...again.found, text].join('\n')]
  return { cases, hits, targets, disagreements: together }
}

// internal

let lastId = 0

async function send({ machine, backend, family, options }: Rig, text: string, drawn: readonly Drawn[]) {
  const rules = parseSave(text, family)
  const cases = drawn.flatMap((each) => casesOf(rules, each, options, () => ++lastId))
  await netns.exec(machine.pod, [programOf(backend, family, 'restore')], { input: text })
  machine.seen()
  for (const { packet, id } of cases) machine.send(packet, id)
  const seen = machine.seen()
  const saved = await netns.exec(machine.pod, [programOf(backend, family, 'save'), '-c'])
  const found = arrivalsDiffer(cases, seen)
  const desired = predicted(cases)
  const counted = counters(saved.stdout)
  for (const key of new Set([...desired.keys(), ...counted.keys()])) {
    const [traced, count] = [desired.get(key) ?? 0, counted.get(key) ?? 0]
    if (traced !== count) found.push(`${key}: traced ${traced}, kernel ${count}`)
  }
  const hits = [...desired.values()].reduce((sum, each) => sum + each, 0)
  const explained = cases.flatMap(({ traces }) => traces.map((each) => explain(each)))
  const steps = cases.flatMap(({ traces }) => traces.flatMap(({ path }) => path))
  const targets = new Set(
    steps.flatMap(({ rule, matched }) => (matched === true ? (/-[jg] (\w+)/.exec(rule)?.[1] ?? '') : [])),
  )
  return { cases: cases.length, hits, targets, found, explained }
}

function arrivalsDiffer(cases: readonly Case[], seen: ReadonlyMap<number, readonly string[]>): string[] {
  return cases.flatMap(({ id, arrivals }) => {
    const got = seen.get(id) ?? []
    if (JSON.stringify(got) === JSON.stringify(arrivals)) return []
    return [`packet ${id}: traced to ${arrivals.join(' and ') || 'nowhere'}, seen ${got.join(' and ') || 'nowhere'}`]
  })
}

function predicted(cases: readonly Case[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { table, chain, index, matched } of cases.flatMap(({ traces }) => traces.flatMap(({ path }) => path))) {
    const key = `${table} ${chain} ${index}`
    if (matched === true) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

/** Map from `table chain index` of a rule to the kernel's packet counter of the rule. */
function counters(saved: string): Map<string, number> {
  const out = new Map<string, number>()
  const indexes = new Map<string, number>()
  let table = ''
  for (const line of saved.split('\n')) {
    if (line.startsWith('*')) table = line.slice(1)
    const [, packets, chain] = /^\[(\d+):\d+\] -A (\S+)/.exec(line) ?? []
    if (chain === undefined) continue
    const place = `${table} ${chain}`
    const index = (indexes.get(place) ?? 0) + 1
    indexes.set(place, index)
    out.set(`${place} ${index}`, Number(packets))
  }
  return out
}
