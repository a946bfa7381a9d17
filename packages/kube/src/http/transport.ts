/** One request, as a transport has to perform it. */
export interface TransportRequest {
  /** Default `GET`. */
  readonly method?: string | undefined
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Needed for `https`. */
  readonly trust?: Trust
  readonly signal: AbortSignal
  readonly maxBytes: number
  readonly body?: string | undefined
  /** Takes the body of a 200 bit by bit, with pauses for other work and without a limit, instead of having it collected. What it throws ends the request. */
  readonly onData?: ((chunk: Uint8Array) => void) | undefined
}

/** Whom to believe, and what to show. */
export interface Trust {
  /** PEM text; the runtime's own roots without it. */
  readonly ca: string | undefined
  /** Believe anybody. */
  readonly insecure: boolean
  /** The name to expect in the certificate instead of the host. */
  readonly serverName: string | undefined
  readonly client: { readonly cert: string; readonly key: string } | undefined
}

/** What came back. */
export interface TransportAnswer {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly body: string
}

/**
 * Sends a request: no proxy of the environment, no redirect, no more than `maxBytes` of an answer. Rejects with the
 * runtime's own error, which has a `code`, or with {@link TooLarge}.
 */
export type Transport = (request: TransportRequest) => Promise<TransportAnswer>

/** The answer was longer than allowed. */
export class TooLarge extends Error {
  static {
    TooLarge.prototype.name = 'TooLarge'
  }
}

/** A connection that had served a request before ended without a word on this one; `cause` is what the runtime said. */
export class StaleConnection extends Error {
  static {
    StaleConnection.prototype.name = 'StaleConnection'
  }
}
