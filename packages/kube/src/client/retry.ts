import type { KubeError } from '../kube-error.ts'

/** What happened so far in one series of requests. */
export interface Attempts {
  /** Requests made, the failed one included. */
  readonly made: number
  /** Failures in a row that backed off because the server is overloaded or broken. */
  readonly overloaded: number
  /** The kubeconfig has been read a second time. */
  readonly reloaded: boolean
}

/** What to do after a failed request. */
export type NextStep =
  | { readonly act: 'stop' }
  | { readonly act: 'wait'; readonly ms: number }
  /** Read the kubeconfig again and ask at once: the agent may just have renewed the token or the authority. */
  | { readonly act: 'reload' }

const maxRequests = 30
const graceRequests = 4
const pauseMs = 1000
const longestPauseMs = 8000

/**
 * Decides after a failed request. What only a person can repair (403, a bad kubeconfig, an odd status) stops at once;
 * what the agent may just have repaired (401, a changed authority) is tried once more with a fresh kubeconfig; a pod
 * the server does not know yet gets a few seconds; overload is met with growing pauses; anything else is asked again
 * every second, up to 30 requests.
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
