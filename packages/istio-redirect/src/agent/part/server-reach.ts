import type { KubeError } from '@cni/kube'

/** A time without an API server. */
export interface Outage {
  /** Of its first and its last failed request, in milliseconds since 1970. */
  readonly first: number
  readonly last: number
  /** What the last one said. */
  readonly problem: string
}

/** What became of requests for one thing. */
export interface RequestReports {
  failed(error: KubeError): void
  answered(): void
}

/** Whether the API server can be asked, and grants what it is asked for, by what becomes of the agent's requests. */
export interface ServerReach {
  /** For requests for this: it is refused until one of them is granted, whatever becomes of others. */
  of(what: string): RequestReports
  /** Tells of each outage when it is over; returns what ends that. */
  onReturn(listener: (outage: Outage) => void): () => void
  /**
   * Tells what a server says that refuses, also what it said before: once for all that is asked for one thing, until some of
   * that is granted; returns what ends that.
   */
  onRefusal(listener: (problem: string) => void): () => void
}

/** One failed request is no outage: servers are replaced, and connections cut. */
const SHORTEST_MS = 5000

/** Nothing has been asked yet. */
export function serverReach({ now = Date.now }: { readonly now?: () => number } = {}): ServerReach {
  const returned = new Set<(outage: Outage) => void>()
  const refused = new Set<(problem: string) => void>()
  let outage: Outage | undefined
  const refusals = new Map<string, KubeError>()
  const reports = (what: string): RequestReports => ({
    failed(error) {
      if (isRefusal(error)) {
        // The words may name another pod each time.
        if (error.status === refusals.get(what)?.status) return
        refusals.set(what, error)
        for (const listener of refused) listener(error.message)
      }
      if (!isAway(error)) return
      const last = now()
      outage = { first: outage?.first ?? last, last, problem: error.message }
    },
    answered() {
      refusals.delete(what)
      if (outage === undefined) return
      const over = outage
      outage = undefined
      if (over.last - over.first < SHORTEST_MS) return
      for (const listener of returned) listener(over)
    },
  })
  return {
    of: reports,
    onReturn: (listener) => joining(returned, listener),
    onRefusal(listener) {
      for (const { message } of refusals.values()) listener(message)
      return joining(refused, listener)
    },
  }
}

// internal

/** Returns what leaves again. */
function joining<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

const isRefusal = ({ code, status }: KubeError): boolean => code === 'STATUS' && (status === 401 || status === 403)

/** A server that refuses is there. */
const isAway = ({ code, status = 0 }: KubeError): boolean =>
  code === 'NETWORK' || code === 'TIMEOUT' || (code === 'STATUS' && status >= 500)
