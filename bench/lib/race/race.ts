import type { Contender, Prepared } from './contender.ts'
import { Spawner } from './spawner-client.ts'

/** Times of one run. `cpuMs` includes a program's child processes. */
export interface Sample {
  ms: number
  cpuMs?: number
}

/** Alternates between the programs, because the machine's speed changes during a run. */
export async function race(contenders: readonly Contender[], runs: number): Promise<Map<string, Sample[]>> {
  const samples = new Map<string, Sample[]>(contenders.map(({ name }) => [name, []]))
  using spawner = new Spawner()
  for (let round = -1; round < runs; round++) {
    for (const contender of contenders) {
      const sample = await timeOnce(contender, spawner)
      // Drops the times of the first round, which only reads the executables into the page cache.
      if (round >= 0) samples.get(contender.name)?.push(sample)
    }
  }
  return samples
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

/** Measures a value of a prepared program several times, such as its memory. */
export async function observe(
  contender: Contender,
  runs: number,
  read: (program: Prepared) => Promise<number>,
): Promise<number[]> {
  const samples: number[] = []
  for (let round = 0; round < runs; round++) {
    const prepared = await contender.prepare()
    try {
      if ('run' in prepared) return []
      samples.push(await read(prepared))
    } finally {
      await prepared.cleanUp?.()
    }
  }
  return samples
}
