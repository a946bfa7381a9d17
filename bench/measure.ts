import { spawn } from 'node:child_process'
import { once } from 'node:events'

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
}

/** Time whole processes in turn (A B C A B C …), so that a machine that drifts does so for all of them. */
export async function race(contenders: readonly Contender[], runs: number): Promise<Timing[]> {
  const samples = new Map(contenders.map(({ name }) => [name, [] as number[]]))
  for (let round = -1; round < runs; round++) {
    for (const contender of contenders) {
      const ms = await timeOnce(contender)
      // The first round only warms the page cache.
      if (round >= 0) samples.get(contender.name)?.push(ms)
    }
  }
  return [...samples].map(([name, ms]) => summarise(name, ms))
}

async function timeOnce(contender: Contender): Promise<number> {
  const prepared = await contender.prepare()
  try {
    if ('run' in prepared) {
      const started = performance.now()
      await prepared.run()
      return performance.now() - started
    }
    const [file, ...args] = prepared.argv
    const started = performance.now()
    const child = spawn(file, args, { env: prepared.env ?? {}, cwd: '/', stdio: ['pipe', 'pipe', 'pipe'] })
    const closed = once(child, 'close')
    let stdout = ''
    let stderr = ''
    child.stdin.on('error', () => undefined).end(prepared.stdin ?? '')
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk
    })
    await closed
    const ms = performance.now() - started
    if (child.exitCode !== 0) throw new Error(`${contender.name} failed (${child.exitCode}): ${stdout}${stderr}`)
    await prepared.verify?.(stdout)
    return ms
  } finally {
    await prepared.cleanUp?.()
  }
}

const summarise = (name: string, samples: readonly number[]): Timing => {
  const sorted = [...samples].sort((a, b) => a - b)
  const at = (index: number): number => sorted[Math.min(sorted.length - 1, Math.max(0, index))] ?? Number.NaN
  const middle = sorted.length / 2
  const medianMs = sorted.length % 2 ? at(Math.floor(middle)) : (at(middle - 1) + at(middle)) / 2
  return { name, runs: sorted.length, medianMs, minMs: at(0), maxMs: at(sorted.length - 1) }
}
