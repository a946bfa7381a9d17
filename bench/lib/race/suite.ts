import { writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import type { Measure, Suite } from '../report/report.ts'
import { ratio, stats } from '../report/statistics.ts'
import type { Contender } from './contender.ts'
import { kiloInstructions } from './instructions.ts'
import { peakMB } from './peak-memory.ts'
import { observe, race, type Sample } from './race.ts'

/** Samples of one quantity for one program. The report compares each program with the references. */
export interface Entry {
  name: string
  samples: readonly number[]
  reference?: boolean
}

/** Number of runs that measure a program's memory. Few runs are enough, because the memory hardly varies. */
const MEMORY_RUNS = 5

/** Samples of one quantity that a suite has measured with code of its own. */
export interface Row {
  group: string
  quantity: string
  samples: readonly number[]
}

/** Numeric options of a benchmark suite, from its command line or by default. */
export function settings<const T extends Record<string, number>>(defaults: T): { [name in keyof T]: number } {
  const options = Object.fromEntries(Object.keys(defaults).map((name) => [name, { type: 'string' as const }]))
  const { values } = parseArgs({ options })
  const one = ([name, fallback]: [string, number]): [string, number] => {
    const value = Number(values[name] ?? fallback)
    if (Number.isInteger(value) && value > 0) return [name, value]
    throw new RangeError(`--${name}: expected a positive integer, got ${JSON.stringify(values[name])}`)
  }
  return Object.fromEntries(Object.entries(defaults).map(one)) as { [name in keyof T]: number }
}

/** Collects the results of one benchmark suite for `npm run bench`. */
export class SuiteReport {
  readonly #suite: Suite

  constructor(about: string, used: Record<string, number>) {
    const load = Number((loadavg()[0] ?? 0).toFixed(2))
    this.#suite = { about, date: new Date().toISOString(), load, settings: used, measures: [] }
  }

  /** Measures programs alternately. `slow` contains earlier results of slow programs for the same table. */
  async race(
    group: string,
    contenders: readonly Contender[],
    runs: number,
    slow: readonly Entry[] = [],
  ): Promise<void> {
    const begun = performance.now()
    const samples = await race(contenders, runs)
    const entries = (key: keyof Sample): Entry[] =>
      contenders.map(({ name, reference = false }) => ({
        name,
        reference,
        samples: (samples.get(name) ?? []).flatMap((sample) => sample[key] ?? []),
      }))
    this.add(group, 'ms', [...entries('ms'), ...slow])
    const cpu = entries('cpuMs').filter((entry) => entry.samples.length > 0)
    if (cpu.length > 0) this.add(group, 'CPU ms', cpu)
    const memory: Entry[] = []
    for (const contender of contenders) {
      const { name, reference = false } = contender
      // Skips functions that run in this process, because their memory cannot be separated from the process's memory.
      if (!cpu.some((entry) => entry.name === name)) continue
      memory.push({ name, reference, samples: await observe(contender, Math.min(runs, MEMORY_RUNS), peakMB) })
    }
    if (memory.length > 0) this.add(group, 'peak MB', memory)
    process.stderr.write(`  ${group} (${((performance.now() - begun) / 1000).toFixed(1)} s)\n`)
  }

  /** Runs the given programs under valgrind, and records the number of instructions that each program executes. */
  async count(group: string, contenders: readonly Contender[], runs: number): Promise<void> {
    const entries: Entry[] = []
    for (const contender of contenders) {
      const { name, reference = false } = contender
      entries.push({ name, reference, samples: await observe(contender, runs, kiloInstructions) })
    }
    this.add(group, '1000 instructions', entries)
  }

  /** Adds the samples of one quantity. An empty list of samples means that the event never happened. */
  add(group: string, quantity: string, entries: readonly Entry[]): void {
    const references = entries.filter(({ reference }) => reference)
    for (const { name, samples, reference } of entries) {
      const ratios = reference ? [] : references.flatMap((to) => ratio(to.name, samples, to.samples) ?? [])
      this.#suite.measures.push({ group, name, quantity, ...stats(samples), ratios })
    }
  }

  /** Adds the samples of several quantities. Every program must have the same quantities in the same order. */
  addRows(contenders: readonly { name: string; reference: boolean; rows: readonly Row[] }[]): void {
    for (const [index, { group, quantity }] of (contenders[0]?.rows ?? []).entries()) {
      const entries = contenders.map(({ rows, ...one }) => ({ ...one, samples: rows[index]?.samples ?? [] }))
      this.add(group, quantity, entries)
    }
  }

  get measures(): readonly Measure[] {
    return this.#suite.measures
  }

  /** Writes the suite's results as JSON to the file in `CNI_BENCH_OUT`. Without this variable, writes to stdout. */
  write(): void {
    const text = JSON.stringify(this.#suite)
    const file = process.env.CNI_BENCH_OUT
    if (file === undefined) process.stdout.write(`${text}\n`)
    else writeFileSync(file, text)
  }
}
