import { setTimeout as sleep } from 'node:timers/promises'
import { isRunError } from './run-error.ts'
import type { RunOptions, RunResult } from './run-types.ts'
import { start } from './start.ts'

// Pauses in milliseconds between attempts to start a program that an installer still writes (ETXTBSY).
const BUSY_DELAYS = [20, 40, 80, 160, 300, 500, 1000, 1000, 2000]

/**
 * Runs a program until it exits. If the program fails, the promise rejects with a `RunError`. With `reject: false`, the
 * promise resolves to that `RunError`. Retries for about five seconds while the program's file is open for writing
 * (ETXTBSY).
 *
 * @example
 * const { stdout } = await run(['iptables-save', '-t', 'nat'], { timeout: 5000 })
 */
export async function run(
  argv: readonly [string, ...string[]],
  options: RunOptions & { reject?: boolean } = {},
): Promise<RunResult> {
  const { reject = true, ...rest } = options
  const deadline = options.timeout === undefined ? undefined : performance.now() + options.timeout
  for (let attempt = 0; ; attempt++) {
    const left = deadline === undefined ? undefined : Math.max(1, deadline - performance.now())
    try {
      return await start(argv, attempt === 0 ? rest : { ...rest, timeout: left }).done
    } catch (error) {
      if (!isRunError(error)) throw error
      const delay = error.code === 'BUSY' ? BUSY_DELAYS[attempt] : undefined
      const inTime = delay !== undefined && (deadline === undefined || performance.now() + delay < deadline)
      if (inTime) {
        await pause(delay, options.signal)
        continue
      }
      if (reject) throw error
      return error
    }
  }
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(ms, undefined, signal === undefined ? {} : { signal })
  } catch {
    // Ignores the error of an aborted pause. The next attempt to start the program reports the abort.
  }
}
