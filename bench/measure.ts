import { Spawner } from './spawner-client.ts'

/** One program to time, or some work of this process: everything a run needs, prepared before the clock starts. */
export interface Contender {
  name: string
  prepare(): Promise<Prepared | PreparedWork>
}

export interface PreparedWork {
  run(): Promise<void>
  cleanUp?(): PromiseLike<void> | void
}

export interface Prepared {
  argv: readonly [string, ...string[]]
  env?: Record<string, string>
  stdin?: string
  /** Looks at what the run left, outside the clock; throws when the work was not done. */
  verify?(stdout: string): PromiseLike<void> | void
  cleanUp?(): PromiseLike<void> | void
}

export interface Timing {
  name: string
  runs: number
  medianMs: number
  minMs: number
  maxMs: number
  /** Medians of processes: CPU time of the program and of its children, and the peak memory of the largest of them. */
  cpuMs?: number
  rssMB?: number
}

interface Sample {
  ms: number
  cpuMs?: number
  rssMB?: number
}

/** Time whole processes in turn (A B C A B C …), so that a machine that drifts does so for all of them. */
export async function race(contenders: readonly Contender[], runs: number): Promise<Timing[]> {
  const samples = new Map(contenders.map(({ name }) => [name, [] as Sample[]]))
  const spawner = new Spawner()
  try {
    for (let round = -1; round < runs; round++) {
      for (const contender of contenders) {
        const sample = await timeOnce(contender, spawner)
        // The first round only warms the page cache.
        if (round >= 0) samples.get(contender.name)?.push(sample)
      }
    }
  } finally {
    spawner.close()
  }
  return [...samples].map(([name, list]) => summarise(name, list))
}

async function timeOnce(contender: Contender, spawner: Spawner): Promise<Sample> {
  const prepared = await contender.prepare()
  try {
    if ('run' in prepared) {
      const started = performance.now()
      await prepared.run()
      return { ms: performance.now() - started }
    }
    const { argv, env = {}, stdin = '' } = prepared
    const { exitCode, stdout, stderr, ...sample } = await spawner.run({ argv, env, stdin })
    if (exitCode !== 0) throw new Error(`${contender.name} failed (${exitCode}): ${stdout}${stderr}`)
    await prepared.verify?.(stdout)
    return sample
  } finally {
    await prepared.cleanUp?.()
  }
}

/** The value below which `share` of the values lie. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (index: number): number => sorted[Math.min(sorted.length - 1, Math.max(0, index))] ?? Number.NaN
  if (share !== 0.5 || sorted.length % 2 === 1) return at(Math.ceil(share * sorted.length) - 1)
  return (at(sorted.length / 2 - 1) + at(sorted.length / 2)) / 2
}

function summarise(name: string, samples: readonly Sample[]): Timing {
  const times = samples.map(({ ms }) => ms)
  const [cpu, rss] = (['cpuMs', 'rssMB'] as const).map((key) => samples.flatMap((sample) => sample[key] ?? []))
  return {
    name,
    runs: times.length,
    medianMs: percentile(times, 0.5),
    minMs: Math.min(...times),
    maxMs: Math.max(...times),
    ...(cpu?.length ? { cpuMs: percentile(cpu, 0.5) } : {}),
    ...(rss?.length ? { rssMB: percentile(rss, 0.5) } : {}),
  }
}
