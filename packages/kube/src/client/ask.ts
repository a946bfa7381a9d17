import { setTimeout as delay } from 'node:timers/promises'
import { isKubeError, KubeError } from '../kube-error.ts'
import type { KubeClient } from './client.ts'
import { type Attempts, nextStep } from './retry.ts'

/** Request for one object of the API server. */
export interface Question<T> {
  /** Name of the object in messages: `pod demo/web`. */
  readonly what: string
  /** Absolute and percent-encoded path. */
  readonly path: string
  /** Throws `KubeError` for another kind of document. */
  readonly parse: (document: unknown) => T | Promise<T>
}

/** Options of `getPod` and `namespaceLabels`. */
export interface AskOptions {
  /**
   * Creates a client from the kubeconfig. Called again with `refused` after the server has rejected the credentials:
   * the kubeconfig must then be read again.
   */
  readonly connect: (refused: boolean) => Promise<KubeClient>
  readonly signal: AbortSignal
  /** Called for every failed request that will be retried. */
  readonly onRetry?: (
    error: KubeError,
    attempts: {
      /** Number of requests, the failed one included. */
      readonly made: number
      /** Number of consecutive failures of an overloaded or broken server. */
      readonly overloaded: number
      /** True if the kubeconfig has been read again. */
      readonly reloaded: boolean
    },
  ) => void
  /** Maximum number of requests, if lower than the default of the retry policy. */
  readonly maxRequests?: number
  /** Replaces the pause between requests in tests. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

/** Gets one object. Retries as the retry policy says, until the signal aborts. */
export async function ask<T>({ what, path, parse }: Question<T>, options: AskOptions): Promise<T> {
  const { connect, signal, onRetry, maxRequests, pause = (ms) => delay(ms, undefined, { signal }) } = options
  let client = await connect(false)
  let attempts: Attempts = { made: 0, overloaded: 0, reloaded: false }
  let last: KubeError | undefined
  for (;;) {
    try {
      return await parse(await client.get(path, { signal }))
    } catch (error) {
      if (!isKubeError(error)) throw error
      // After an abort, the error of the previous request is more useful.
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
