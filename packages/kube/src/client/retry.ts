import type { KubeError } from '../kube-error.ts'

/** State of a series of requests to the API server for one object. */
export interface Attempts {
  /** Number of requests to the API server so far, including the failed request. */
  readonly made: number
  /** Number of consecutive requests that failed because the API server was overloaded or broken. */
  readonly overloaded: number
  /** True if the kubeconfig was read again, after rejected credentials or an untrusted certificate. */
  readonly reloaded: boolean
}

/** Decision of the retry policy after a failed request: stop, or retry after a pause. */
export type NextStep =
  | { readonly act: 'stop' }
  | { readonly act: 'wait'; readonly ms: number }
  /** Reads the kubeconfig again, because the node agent may have just renewed the credentials there. */
  | { readonly act: 'reload' }

const maxRequests = 30
const graceRequests = 4
const pauseMs = 1000
const maxPauseMs = 8000

/** Decides the next step after a failed request to the API server. */
export function nextStep(error: KubeError, { made, overloaded, reloaded }: Attempts): NextStep {
  if (made >= maxRequests) return stop
  switch (error.code) {
    case 'NETWORK':
    case 'TIMEOUT':
      return { act: 'wait', ms: pauseMs }
    case 'UNTRUSTED':
      return reloaded ? stop : { act: 'reload' }
    case 'BAD_ANSWER':
      return made < graceRequests ? { act: 'wait', ms: pauseMs } : stop
    case 'STATUS':
      return afterStatus(error, { made, overloaded, reloaded })
    default:
      return stop
  }
}

function afterStatus({ status = 0, retryAfterMs }: KubeError, { made, overloaded, reloaded }: Attempts): NextStep {
  if (status === 401) return reloaded ? stop : { act: 'reload' }
  if (status === 404) return made < graceRequests ? { act: 'wait', ms: pauseMs } : stop
  if (status !== 429 && status < 500) return stop
  const growing = Math.min(pauseMs * 2 ** overloaded, maxPauseMs)
  return { act: 'wait', ms: Math.min(Math.max(retryAfterMs ?? 0, growing), 10_000) }
}

const stop: NextStep = { act: 'stop' }
