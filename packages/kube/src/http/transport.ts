/** One request for a transport. */
export interface TransportRequest {
  /** Default `GET`. */
  readonly method?: string | undefined
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Trusted servers and the client's certificate. Required for `https`. */
  readonly trust?: Trust
  readonly signal: AbortSignal
  readonly maxBytes: number
  readonly body?: string | undefined
  /**
   * Receives the body of an answer with status 200 in chunks, without a size limit. The transport lets the event
   * loop run between two chunks. An error that `onData` throws ends the request.
   */
  readonly onData?: ((chunk: Uint8Array) => void) | undefined
}

/** Trusted servers, and the client's own certificate. */
export interface Trust {
  /** Authorities as PEM text; `undefined` for the runtime's own list. */
  readonly ca: string | undefined
  /** Trusts any server. */
  readonly insecure: boolean
  /** Expected name in the certificate, instead of the host. */
  readonly serverName: string | undefined
  readonly client: { readonly cert: string; readonly key: string } | undefined
}

/** Answer to a request. */
export interface TransportAnswer {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly body: string
}

/**
 * Sends a request. Uses no proxy of the environment, follows no redirect, and reads at most `maxBytes`.
 * Rejects with the runtime's own error, which has a `code`, or with {@link TooLarge}.
 */
export type Transport = (request: TransportRequest) => Promise<TransportAnswer>

/** The answer exceeds the size limit. */
export class TooLarge extends Error {
  static {
    TooLarge.prototype.name = 'TooLarge'
  }
}

/** A reused connection was closed without an answer. `cause` is the runtime's error. */
export class StaleConnection extends Error {
  static {
    StaleConnection.prototype.name = 'StaleConnection'
  }
}
