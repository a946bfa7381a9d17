import { setTimeout as delay } from 'node:timers/promises'
import type { Pod } from '../redirect/pod-info.ts'
import type { KubeClient } from './client.ts'
import { KubeError } from './kube-error.ts'
import { type PodIdentity, parsePod, podPath } from './pod.ts'
import { type Attempts, nextStep } from './retry.ts'

/** What {@link getPod} works with. */
export interface GetPodOptions {
  /** A client from the kubeconfig as it is now; called again when the server refuses the first one's credentials. */
  readonly connect: () => Promise<KubeClient>
  readonly signal: AbortSignal
  /** Told about every failed request that is followed by another. */
  readonly onRetry?: (error: KubeError, attempts: Attempts) => void
  /** For tests: how to wait between two requests. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

/** Gets one pod, asking again as {@link nextStep} decides, until the signal says that there is no time left. */
export async function getPod(who: PodIdentity, options: GetPodOptions): Promise<Pod> {
  const { connect, signal, onRetry, pause = (ms) => delay(ms, undefined, { signal }) } = options
  let client = await connect()
  let attempts: Attempts = { made: 0, overloaded: 0, reloaded: false }
  let last: KubeError | undefined
  for (;;) {
    try {
      return parsePod(await client.get(podPath(who), signal), who)
    } catch (error) {
      if (!(error instanceof KubeError)) throw error
      // Out of time: what went wrong before says more than the fact itself.
      if (error.code === 'ABORTED') throw summary(who, last ?? error, attempts)
      last = error
      attempts = { ...attempts, made: attempts.made + 1 }
      const next = nextStep(error, attempts)
      if (next.act === 'stop') throw summary(who, error, attempts)
      onRetry?.(error, attempts)
      const overloaded = error.code === 'STATUS' && error.status !== 404 && error.status !== 401
      attempts = {
        ...attempts,
        overloaded: overloaded ? attempts.overloaded + 1 : 0,
        reloaded: attempts.reloaded || next.act === 'reload',
      }
      if (next.act === 'reload') client = await connect()
      else await pause(next.ms, signal).catch(() => Promise.reject(summary(who, error, attempts)))
    }
  }
}

function summary(who: PodIdentity, error: KubeError, { made }: Attempts): KubeError {
  const count = made === 1 ? '' : ` (after ${made} requests)`
  return new KubeError(error.code, `pod ${who.namespace}/${who.name} could not be read: ${error.message}${count}`, {
    ...(error.status !== undefined && { status: error.status }),
    retryAfterMs: error.retryAfterMs,
    cause: error.cause ?? error,
  })
}
