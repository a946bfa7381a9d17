import type { KubeError } from '@cni/kube'

/** Period in which the Kubernetes API server did not answer the agent's requests. */
export interface Outage {
  /** Times of the outage's first and last failed request, in milliseconds since 1970. */
  readonly first: number
  readonly last: number
  /** Message of the last failed request's error. */
  readonly problem: string
}

/** Callbacks through which API requests about one kind of Kubernetes object report their results. */
export interface RequestReports {
  failed(error: KubeError): void
  answered(): void
}

/** Tracks if the API server answers and if it refuses requests, from the results of the agent's requests. */
export interface ServerReach {
  /** Creates the callbacks for requests about one kind of Kubernetes object. */
  of(what: string): RequestReports
  /** Calls the listener after each outage of the API server. Returns a function that removes the listener. */
  onReturn(listener: (outage: Outage) => void): () => void
  /** Calls the listener when the API server refuses a request, once for each kind of object. */
  onRefusal(listener: (problem: string) => void): () => void
}

/** Minimal length in milliseconds of a reported outage, so that server restarts are ignored. */
const MIN_OUTAGE_MS = 5000

/** Creates a tracker of the API server's reachability, without any request results yet. */
export function serverReach({ now = Date.now }: { readonly now?: () => number } = {}): ServerReach {
  const returned = new Set<(outage: Outage) => void>()
  const refused = new Set<(problem: string) => void>()
  let outage: Outage | undefined
  const refusals = new Map<string, KubeError>()
  const reports = (what: string): RequestReports => ({
    failed(error) {
      if (isRefusal(error)) {
        // Reports a refusal once for each HTTP status, because the messages of refusals differ by pod.
        if (error.status === refusals.get(what)?.status) return
        refusals.set(what, error)
        for (const listener of refused) listener(error.message)
      }
      if (!isUnreachable(error)) return
      const last = now()
      outage = { first: outage?.first ?? last, last, problem: error.message }
    },
    answered() {
      refusals.delete(what)
      if (outage === undefined) return
      const over = outage
      outage = undefined
      if (over.last - over.first < MIN_OUTAGE_MS) return
      for (const listener of returned) listener(over)
    },
  })
  return {
    of: reports,
    onReturn: (listener) => addListener(returned, listener),
    onRefusal(listener) {
      for (const { message } of refusals.values()) listener(message)
      return addListener(refused, listener)
    },
  }
}

// internal

/** Adds a listener to a set of listeners. Returns the function that removes the listener. */
function addListener<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const isRefusal = ({ code, status }: KubeError): boolean => code === 'STATUS' && (status === 401 || status === 403)

/** True if the API server does not answer. A refusal counts as an answer. */
const isUnreachable = ({ code, status = 0 }: KubeError): boolean =>
  code === 'NETWORK' || code === 'TIMEOUT' || (code === 'STATUS' && status >= 500)
