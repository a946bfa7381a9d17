import { setTimeout as pause } from 'node:timers/promises'
import type { PluginResult } from '@cni/invoke'
import { type Conflist, ErrorCode, errorLine, toErrorDocument } from '@cni/types'
import type { Attachment } from './attachment.ts'
import type { Cni } from './cni.ts'
import { isRuntimeError, RuntimeError } from './errors.ts'
import type { NetworkList } from './network-list.ts'
import type { OperationOptions } from './runtime.ts'

/** When and how often to try again, what ends it and what it waits with. */
export interface RetryOptions {
  /** How often to try at most, the first time included; default 5. */
  readonly attempts?: number
  /** Milliseconds before the second attempt, doubled before each one after; default 200. */
  readonly delay?: number
  /** The longest pause in milliseconds; default 10 000. */
  readonly maxDelay?: number
  /** Ends the waiting; the last error is thrown then. */
  readonly signal?: AbortSignal | undefined
  /** Told before each pause. */
  readonly onRetry?: (error: unknown, delay: number) => void
  /** Between 0 and 1: spreads the attempts of many containers; default `Math.random`. */
  readonly random?: () => number
  readonly sleep?: (delay: number, signal: AbortSignal | undefined) => Promise<unknown>
}

type RetryPolicy = Pick<RetryOptions, 'attempts' | 'delay' | 'maxDelay'>

/** The longest a timer can wait: what is longer ends at once. */
const LONGEST = 2 ** 31 - 1

/**
 * Milliseconds until an operation that failed so often should be tried again, or `undefined` when it should not: only
 * code 11, "try again later", asks for it. Pure.
 *
 * @example
 * ```ts
 * retryDelay(new CniError(ErrorCode.tryAgainLater, 'no agent yet'), 1) // 200
 * retryDelay(new CniError(ErrorCode.invalidNetworkConfig, 'no bridge'), 1) // undefined
 * ```
 */
export function retryDelay(error: unknown, failures: number, policy: RetryPolicy = {}): number | undefined {
  const { attempts = 5, delay = 200, maxDelay = 10_000 } = policy
  // What is half deleted must not be added again, whatever the ADD asked for.
  if (isRuntimeError(error) && error.code === 'UNDO') return undefined
  if (failures >= attempts || toErrorDocument(error).code !== ErrorCode.tryAgainLater) return undefined
  return Math.min(maxDelay, LONGEST, delay * 2 ** (failures - 1))
}

/**
 * Whether a failed ADD needs a DEL: always, unless the first plugin of the list says that there is no such container
 * (code 3). When plugins before it succeeded, what they did is there whatever the failing one knows. Pure.
 */
export function needsDel(error: unknown): boolean {
  if (toErrorDocument(error).code !== ErrorCode.unknownContainer) return true
  return isRuntimeError(error) && (error.pluginIndex ?? 0) > 0
}

/**
 * Runs an operation again while it fails with code 11, with growing pauses.
 *
 * @throws TypeError for a policy that would try for ever or without a pause.
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
      const longest = signal?.aborted ? undefined : retryDelay(error, failures, options)
      if (longest === undefined) throw error
      const delay = Math.round(longest * (0.5 + random() / 2))
      onRetry?.(error, delay)
      await sleep(delay, signal)
      if (signal?.aborted) throw error
    }
  }
}

/**
 * ADD as a runtime should do it: a failed ADD is undone with DEL, unless the first plugin says that there is no such
 * container (code 3), and tried again when it asks for that. A DEL that fails ends it.
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
      // Without the caller's signal: giving up is a reason to clean up, not to leave things behind.
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
    // The caller sees the abort on its signal.
    if (!signal?.aborted) throw error
  }
}
