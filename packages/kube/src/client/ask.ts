import { setTimeout as delay } from 'node:timers/promises'
import { isKubeError, KubeError } from '../kube-error.ts'
import type { KubeClient } from './client.ts'
import { type Attempts, nextStep } from './retry.ts'

/** One object of the API server. */
export interface Question<T> {
  /** How messages call it: `pod demo/web`. */
  readonly what: string
  /** Absolute, already percent-encoded. */
  readonly path: string
  /** Throws `KubeError` for a document that is something else. */
  readonly parse: (document: unknown) => T | Promise<T>
}

/** Settings of `getPod` and `namespaceLabels`. */
export interface AskOptions {
  /**
   * A client from the kubeconfig; called again, with `refused`, when the server did not accept the first one's
   * credentials: then the kubeconfig has to be read anew.
   */
  readonly connect: (refused: boolean) => Promise<KubeClient>
  readonly signal: AbortSignal
  /** Told about every failed request that is followed by another. */
  readonly onRetry?: (
    error: KubeError,
    attempts: {
      /** Requests made, the failed one included. */
      readonly made: number
      /** Failures in a row that backed off because the server is overloaded or broken. */
      readonly overloaded: number
      /** The kubeconfig has been read a second time. */
      readonly reloaded: boolean
    },
  ) => void
  /** Gives up earlier than the rules of retries would. */
  readonly maxRequests?: number
  /** For tests: how to wait between two requests. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

/** Gets one object, asking again as the rules of retries say, until the signal says that there is no time left. */
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
      // Out of time: what went wrong before says more than the fact itself.
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
