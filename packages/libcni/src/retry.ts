import { setTimeout as pause } from 'node:timers/promises'
import type { PluginResult } from '@cni/invoke'
import { type Conflist, ErrorCode, errorLine, toErrorDocument } from '@cni/types'
import type { Attachment } from './attachment.ts'
import type { Cni } from './cni.ts'
import { isRuntimeError, RuntimeError } from './errors.ts'
import type { NetworkList } from './network-list.ts'
import type { OperationOptions } from './runtime.ts'

/** Options for repeating a failed operation: number of attempts, pauses, abort signal. */
export interface RetryOptions {
  /** Maximum number of attempts of an operation, the first one included. Default: 5. */
  readonly attempts?: number
  /** Pause before the second attempt in milliseconds. Each pause is twice as long as the previous one. Default: 200. */
  readonly delay?: number
  /** Longest pause between two attempts in milliseconds. Default: 10 000. */
  readonly maxDelay?: number
  /** AbortSignal that ends the pause between two attempts. After an abort, the caller gets the last attempt's error. */
  readonly signal?: AbortSignal | undefined
  /** Called before each pause between two attempts. */
  readonly onRetry?: (error: unknown, delay: number) => void
  /**
   * Returns a random number from 0 to 1: 1 keeps a pause, 0 halves it. Different pauses prevent simultaneous retries of
   * many containers. Default: `Math.random`.
   */
  readonly random?: () => number
  readonly sleep?: (delay: number, signal: AbortSignal | undefined) => Promise<unknown>
}

type RetryPolicy = Pick<RetryOptions, 'attempts' | 'delay' | 'maxDelay'>

/** Longest delay that `setTimeout` supports, in milliseconds. A timer with a longer delay fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * Milliseconds to wait before the next attempt; `undefined` if the error permits no further attempt.
 *
 * @example
 * ```ts
 * retryDelay(new CniError(ErrorCode.tryAgainLater, 'no agent yet'), 1) // 200
 * retryDelay(new CniError(ErrorCode.invalidNetworkConfig, 'no bridge'), 1) // undefined
 * ```
 */
export function retryDelay(error: unknown, failures: number, policy: RetryPolicy = {}): number | undefined {
  const { attempts = 5, delay = 200, maxDelay = 10_000 } = policy
  // A second ADD would find remains of an ADD whose cleanup by DEL failed.
  if (isRuntimeError(error) && error.code === 'UNDO') return undefined
  if (failures >= attempts || toErrorDocument(error).code !== ErrorCode.tryAgainLater) return undefined
  return Math.min(maxDelay, MAX_TIMER_MS, delay * 2 ** (failures - 1))
}

/** True if the runtime must undo the work of plugins by DEL after a failed ADD. */
export function needsDel(error: unknown): boolean {
  if (toErrorDocument(error).code !== ErrorCode.unknownContainer) return true
  return isRuntimeError(error) && (error.pluginIndex ?? 0) > 0
}

/**
 * Repeats an operation while it fails with CNI error code 11. The pauses grow.
 *
 * @throws TypeError for a policy with endless attempts or an invalid pause.
 * @example
 * ```ts
 * await withRetry(() => runtime.del(list, pod), { attempts: 3 })
 * ```
 */
export async function withRetry<T>(body: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  const { signal, onRetry, random = Math.random, sleep = sleepUnlessAborted } = options
  checkPolicy(options)
  for (let failures = 1; ; failures++) {
    try {
      return await body()
    } catch (error) {
      const full = signal?.aborted ? undefined : retryDelay(error, failures, options)
      if (full === undefined) throw error
      const delay = Math.round(full * (0.5 + random() / 2))
      onRetry?.(error, delay)
      await sleep(delay, signal)
      if (signal?.aborted) throw error
    }
  }
}

/**
 * Runs ADD as a runtime should, with DEL and retries after failures. Retries the ADD after CNI error code 11. Skips DEL
 * if the first plugin reports code 3 (unknown container). A failed DEL ends the retries.
 *
 * @example
 * ```ts
 * const { result } = await addWithRetry(runtime, list, pod, { attempts: 5, onRetry: (error) => log(error) })
 * ```
 */
export function addWithRetry(
  runtime: Pick<Cni, 'add' | 'del'>,
  list: NetworkList | Conflist,
  rt: Attachment,
  options: RetryOptions & OperationOptions = {},
): Promise<PluginResult> {
  const { signal, timeout } = options
  return withRetry(async () => {
    try {
      return await runtime.add(list, rt, { signal, timeout })
    } catch (error) {
      // Runs DEL without the caller's abort signal, because the cleanup must also run after an abort.
      if (needsDel(error)) await undo(error, () => runtime.del(list, rt, { timeout }))
      throw error
    }
  }, options)
}

function checkPolicy({ attempts = 1, delay = 0, maxDelay = 0 }: RetryPolicy): void {
  if (!(attempts >= 1)) throw new TypeError(`withRetry: attempts: expected a number from 1 on, got ${attempts}`)
  for (const [name, value] of Object.entries({ delay, maxDelay })) {
    if (!(value >= 0)) throw new TypeError(`withRetry: ${name}: expected milliseconds from 0 on, got ${value}`)
  }
}

async function undo(error: unknown, del: () => Promise<void>): Promise<void> {
  try {
    await del()
  } catch (cause) {
    throw new RuntimeError('UNDO', `${errorLine(error)}; and it could not be undone: ${errorLine(cause)}`, {
      cause: new AggregateError([error, cause], 'ADD and then DEL failed'),
      hint: 'run DEL again before the next ADD',
    })
  }
}

async function sleepUnlessAborted(delay: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await pause(delay, undefined, signal === undefined ? {} : { signal })
  } catch (error) {
    // Ends an aborted pause without an error, because the caller's AbortSignal has aborted it.
    if (!signal?.aborted) throw error
  }
}
