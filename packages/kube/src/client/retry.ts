import type { KubeError } from '../kube-error.ts'

/** State of a series of requests. */
export interface Attempts {
  /** Number of requests, the failed one included. */
  readonly made: number
  /** Number of consecutive failures of an overloaded or broken server. */
  readonly overloaded: number
  /** True if the kubeconfig has been read again. */
  readonly reloaded: boolean
}

/** Next step after a failed request. */
export type NextStep =
  | { readonly act: 'stop' }
  | { readonly act: 'wait'; readonly ms: number }
  /** Read the kubeconfig again and retry at once: the agent may have just renewed the token or the authority. */
  | { readonly act: 'reload' }

const maxRequests = 30
const graceRequests = 4
const pauseMs = 1000
const longestPauseMs = 8000

/**
 * Retry policy, by error:
 * - 403, an invalid kubeconfig or an unexpected status: stops, because only a user can repair it.
 * - 401 or an untrusted certificate: retries once with a fresh kubeconfig, which the agent may have renewed.
 * - 404 or an invalid answer: four requests, because the pod may be new.
 * - overload: growing pauses.
 * - other errors: every second, up to 30 requests.
 */
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
  const growing = Math.min(pauseMs * 2 ** overloaded, longestPauseMs)
  return { act: 'wait', ms: Math.min(Math.max(retryAfterMs ?? 0, growing), 10_000) }
}

const stop: NextStep = { act: 'stop' }
