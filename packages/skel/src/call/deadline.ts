import { CniError, ErrorCode, isCniError, messageOf } from '@cni/types'

/** Default milliseconds for one CNI call. containerd and CRI-O wait at least 60 s. */
export const DEFAULT_TIMEOUT = 50_000

/** Maximum milliseconds that an aborted handler may continue. Undo steps run afterwards. */
export const SETTLE_BUDGET = 500

/** Ends a CNI call at its deadline, or when the caller's AbortSignal aborts. */
export interface Deadline {
  /** AbortSignal for the plugin's handler. It aborts if the CNI call ends before the handler has finished. */
  readonly signal: AbortSignal
  /** Promise that rejects when the call is ended early. The reason is the error for the container runtime. */
  readonly raised: Promise<never>
  /** Error for the container runtime if the call was ended early; `undefined` while the call runs. */
  readonly error: CniError | undefined
  /** Stops the timer of the CNI call's deadline. */
  clear(): void
}

/** Starts the deadline of a CNI call. An abort of the AbortSignal `outer` also ends the call. */
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
  // Prevents an unhandled rejection if the deadline passes after the handler has finished.
  raised.catch(() => {})

  const raise = (reason: CniError): void => {
    if (error !== undefined) return
    error = reason
    // Rejects `raised` before the abort, because the runtime must not get the aborted handler's error.
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

/** Waits at most `budget` milliseconds for a promise to settle. Returns true if it has settled. */
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
