import { setTimeout as delay } from 'node:timers/promises'
import { isKubeError, KubeError } from '../kube-error.ts'
import type { KubeClient } from './client.ts'
import { type Attempts, nextStep } from './retry.ts'

/** Request for one object of the API server, with the parser for the object. */
export interface ObjectRequest<T> {
  /** Name of the requested object in error messages, such as `pod demo/web`. */
  readonly what: string
  /** Absolute and percent-encoded API path of the object. */
  readonly path: string
  /** Parses the received document. Throws `KubeError` for a document of another kind. */
  readonly parse: (document: unknown) => T | Promise<T>
}

/** Options of `getPod` and `namespaceLabels`, which get an object from the API server. */
export interface AskOptions {
  /**
   * Creates a client from the kubeconfig. The function must read the kubeconfig again if `refused` is true. `refused`
   * means rejected credentials or an untrusted certificate.
   */
  readonly connect: (refused: boolean) => Promise<KubeClient>
  readonly signal: AbortSignal
  /** Called for every failed request to the API server that will be retried. */
  readonly onRetry?: (
    error: KubeError,
    attempts: {
      /** Number of requests to the API server so far, including the failed request. */
      readonly made: number
      /** Number of consecutive requests that failed because the API server was overloaded or broken. */
      readonly overloaded: number
      /** True if the kubeconfig was read again, after rejected credentials or an untrusted certificate. */
      readonly reloaded: boolean
    },
  ) => void
  /** Maximum number of requests to the API server. The retry policy may stop earlier. */
  readonly maxRequests?: number
  /** Replaces the timer between two requests in tests. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

/** Gets one object from the API server. Retries failed requests as the retry policy says, until the signal aborts. */
export async function ask<T>({ what, path, parse }: ObjectRequest<T>, options: AskOptions): Promise<T> {
  const { connect, signal, onRetry, maxRequests, pause = (ms) => delay(ms, undefined, { signal }) } = options
  let client = await connect(false)
  let attempts: Attempts = { made: 0, overloaded: 0, reloaded: false }
  let last: KubeError | undefined
  for (;;) {
    try {
      return await parse(await client.get(path, { signal }))
    } catch (error) {
      if (!isKubeError(error)) throw error
      // Throws the error of the previous request after an abort, because that error is more useful than the abort.
      if (error.code === 'ABORTED') throw summary(what, last ?? error, attempts)
      last = error
      attempts = { ...attempts, made: attempts.made + 1 }
      const next = nextStep(error, attempts)
      if (next.act === 'stop' || attempts.made === maxRequests) throw summary(what, error, attempts)
      onRetry?.(error, attempts)
      const overloaded = error.code === 'STATUS' && error.status !== 404 && error.status !== 401
      attempts = {
        ...attempts,
        overloaded: overloaded ? attempts.overloaded + 1 : 0,
        reloaded: attempts.reloaded || next.act === 'reload',
      }
      if (next.act === 'reload') client = await connect(true)
      else await pause(next.ms, signal).catch(() => Promise.reject(summary(what, error, attempts)))
    }
  }
}

function summary(what: string, error: KubeError, { made }: Attempts): KubeError {
  const count = made === 1 ? '' : ` (after ${made} requests)`
  return new KubeError(error.code, `${what} could not be read: ${error.message}${count}`, {
    ...(error.status !== undefined && { status: error.status }),
    retryAfterMs: error.retryAfterMs,
    cause: error.cause ?? error,
  })
}
