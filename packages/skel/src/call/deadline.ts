import { CniError, ErrorCode, isCniError, messageOf } from '@cni/types'

/** Milliseconds: a call without a `timeout` of its own; containerd and CRI-O give up after 60 s and more. */
export const DEFAULT_TIMEOUT = 50_000

/** Milliseconds for a handler to come to rest after its signal aborted, before its steps are undone. */
export const SETTLE_BUDGET = 500

/** Limit of a call: its deadline, or the signal of the caller. */
export interface Deadline {
  /** Aborts when the call is over before its handler is. */
  readonly signal: AbortSignal
  /** Rejects at the same moment, with what the runtime is told. */
  readonly raised: Promise<never>
  /** That error, once there is one. */
  readonly error: CniError | undefined
  /** Stops the clock. */
  clear(): void
}

/** Starts the deadline of one call and follows an outer signal. */
export function deadline(
  command: string,
  timeout: number = DEFAULT_TIMEOUT,
  outer: AbortSignal | undefined = undefined,
): Deadline {
  const controller = new AbortController()
  let error: CniError | undefined
  let reject: (reason: CniError) => void = () => {}
  const raised = new Promise<never>((_, rejected) => {
    reject = rejected
  })
  // Nobody listens any more when the handler has finished before.
  raised.catch(() => {})

  const raise = (reason: CniError): void => {
    if (error !== undefined) return
    error = reason
    // The rejection comes before the abort, so that it wins over what the handler throws when its signal aborts.
    reject(reason)
    controller.abort(reason)
  }
  const onAbort = (): void => raise(interrupted(command, outer?.reason))
  const timer = setTimeout(() => raise(timedOut(command, timeout)), timeout)
  if (outer?.aborted) onAbort()
  else outer?.addEventListener('abort', onAbort, { once: true })

  return {
    signal: controller.signal,
    raised,
    get error() {
      return error
    },
    clear() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', onAbort)
    },
  }
}

/** Waits for a promise to settle, but no longer than `budget` milliseconds; true when it did. */
export async function settlesWithin(promise: Promise<unknown>, budget: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, budget, false)
  })
  const settled = promise.then(
    () => true,
    () => true,
  )
  try {
    return await Promise.race([settled, expired])
  } finally {
    clearTimeout(timer)
  }
}

function timedOut(command: string, timeout: number): CniError {
  const limit = timeout % 1000 === 0 ? `${timeout / 1000} s` : `${timeout} ms`
  return new CniError(ErrorCode.tryAgainLater, `${command} did not finish within ${limit}`)
}

function interrupted(command: string, reason: unknown): CniError {
  if (reason instanceof CniError) return reason
  if (isCniError(reason)) return new CniError(ErrorCode.tryAgainLater, reason.message, { cause: reason })
  const why = messageOf(reason)
  return new CniError(ErrorCode.tryAgainLater, `${command} was interrupted: ${why}`, { cause: reason })
}
