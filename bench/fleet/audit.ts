/** A request of an agent to the API server, as the API server's audit log records it. */
export interface AuditedRequest {
  /** Time of the agent's request in milliseconds since 1970. */
  readonly at: number
  readonly verb: string
  readonly resource: string
  readonly status: number
}

/** Counts of the agents' requests to the API server in one phase of the measurement. */
export interface RequestCount {
  readonly total: number
  /** Maximum number of the agents' requests to the API server in one second. */
  readonly peak: number
  /** Number of requests that the API server refused with status 429, because there were too many. */
  readonly refused: number
  /** Map from a kind of request, such as `watch pods` or `watch pods 410`, to the number of requests. */
  readonly kinds: Readonly<Record<string, number>>
}

/** Parses a line of the API server's audit log. Returns `undefined` for a line that does not count as a request. */
export function auditedRequest(line: string): AuditedRequest | undefined {
  let event: AuditEvent
  try {
    event = JSON.parse(line)
  } catch {
    return undefined // the line is incomplete: the API server may still be writing the audit log
  }
  const { stage, verb = '', requestReceivedTimestamp = '', objectRef = {}, responseStatus = {} } = event
  const { resource = '', subresource } = objectRef
  if (stage !== (verb === 'watch' ? 'ResponseStarted' : 'ResponseComplete')) return undefined
  return {
    at: Date.parse(requestReceivedTimestamp),
    verb,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    status: responseStatus.code ?? 0,
  }
}

/** Counts the agents' requests in a period. `from` and `to` are in milliseconds since 1970. */
export function countRequests(requests: readonly AuditedRequest[], from: number, to: number): RequestCount {
  const seconds = new Map<number, number>()
  const kinds: Record<string, number> = {}
  let [total, refused] = [0, 0]
  for (const { at, verb, resource, status } of requests) {
    if (at < from || at >= to) continue
    total += 1
    if (status === 429) refused += 1
    const second = Math.floor(at / 1000)
    seconds.set(second, (seconds.get(second) ?? 0) + 1)
    const kind = status < 400 ? `${verb} ${resource}` : `${verb} ${resource} ${status}`
    kinds[kind] = (kinds[kind] ?? 0) + 1
  }
  return { total, peak: Math.max(0, ...seconds.values()), refused, kinds }
}

interface AuditEvent {
  readonly stage?: string
  readonly verb?: string
  readonly requestReceivedTimestamp?: string
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string }
  readonly responseStatus?: { readonly code?: number }
}
