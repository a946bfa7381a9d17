/** HTTP request that a transport sends. */
export interface TransportRequest {
  /** HTTP method of the request. Default: `GET`. */
  readonly method?: string | undefined
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** TLS settings of the request. Required if the URL is `https`. */
  readonly trust?: Trust
  readonly signal: AbortSignal
  readonly maxBytes: number
  readonly body?: string | undefined
  /** Receives the body of an answer with status 200 in chunks, without a size limit. */
  readonly onData?: ((chunk: Uint8Array) => void) | undefined
}

/** TLS settings of a request: trusted servers, and the client's own certificate. */
export interface Trust {
  /** Trusted certificate authorities as PEM text; `undefined` for the JavaScript runtime's own list. */
  readonly ca: string | undefined
  /** True to trust any server, without a check of its certificate. */
  readonly insecure: boolean
  /** Name that the server's certificate must have, instead of the host in the URL. */
  readonly serverName: string | undefined
  readonly client: { readonly cert: string; readonly key: string } | undefined
}

/** Answer to an HTTP request. */
export interface TransportAnswer {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly body: string
}

/** Function that sends an HTTP request. Ignores the environment's proxies and follows no redirect. */
export type Transport = (request: TransportRequest) => Promise<TransportAnswer>

/** Error: the answer to an HTTP request exceeds the size limit. */
export class TooLarge extends Error {
  static {
    TooLarge.prototype.name = 'TooLarge'
  }
}

/** Error: the server closed a reused connection without an answer. `cause` is the error of the JavaScript runtime. */
export class StaleConnection extends Error {
  static {
    StaleConnection.prototype.name = 'StaleConnection'
  }
}
