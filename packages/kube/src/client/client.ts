import { debugFor } from '@cni/host/debug'
import { errnoOf, messageOf, printable } from '@cni/types'
import type { ClusterAccess } from '../config/kubeconfig.ts'
import { defaultTransport } from '../http/default-transport.ts'
import { failureWords } from '../http/failure-words.ts'
import { presentedCertificate } from '../http/presented-certificate.ts'
import { TooLarge, type Transport, type TransportAnswer, type Trust } from '../http/transport.ts'
import { isKubeError, KubeError } from '../kube-error.ts'

/** HTTP client for one Kubernetes API server. */
export interface KubeClient {
  /** Gets one JSON document from the API server. `path` is absolute and percent-encoded. Throws `KubeError`. */
  get(path: string, options: { readonly signal: AbortSignal }): Promise<unknown>
  /**
   * Sends a request that `get` does not cover, such as a watch. Returns the answer's document, or `undefined` if
   * `onData` has received the answer.
   */
  send(request: KubeRequest, options: { readonly signal: AbortSignal }): Promise<unknown>
}

/** Request to the API server that is not a plain GET of one object. */
export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Absolute and percent-encoded API path of the request, with its query. */
  readonly path: string
  readonly body?: { readonly type: string; readonly document: unknown }
  /** Time limit of this request in milliseconds. Default: the client's time limit. */
  readonly timeoutMs?: number
  readonly maxBytes?: number
  /**
   * Receives the answer's body in chunks, for a watch. An error that `onData` throws ends the request. The caller gets
   * a thrown `KubeError` unchanged.
   */
  readonly onData?: (chunk: Uint8Array) => void
}

/** Options of an API client: limits of each request, and the user agent. */
export interface KubeClientOptions {
  /** Time limit of a whole request in milliseconds, including connection and body. Default: 10 s. */
  readonly timeoutMs?: number
  /** Maximum size of an API server's answer in bytes. Default: 4 MiB, because etcd rejects objects above 1.5 MiB. */
  readonly maxBytes?: number
  readonly userAgent?: string
}

/**
 * Creates an API server client without cache, connection pool or retries.
 * - The client verifies TLS unless the kubeconfig disables it.
 * - The client ignores environment variables, including proxy settings, and follows no redirect.
 * - The client never sends credentials over plain `http`.
 */
export function kubeClient(access: ClusterAccess, options: KubeClientOptions = {}): KubeClient {
  return clientFrom(defaultTransport, access, options)
}

/** Creates an API client that sends requests with the given transport. */
export function clientFrom(transport: Transport, access: ClusterAccess, options: KubeClientOptions = {}): KubeClient {
  const { userAgent = 'istio-cni' } = options
  const secure = access.server.protocol === 'https:'
  const token = secure ? access.token() : undefined
  const headers = {
    accept: 'application/json',
    'user-agent': userAgent,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  const { ca, insecure, serverName } = access
  const trust = { ca, insecure, serverName, client: secure ? access.clientCertificate() : undefined }
  const send = async (request: KubeRequest, { signal }: { readonly signal: AbortSignal }): Promise<unknown> => {
    const { method, path, body, onData } = request
    const { timeoutMs = 10_000, maxBytes = 4 * 1024 * 1024 } = { ...options, ...request }
    const url = new URL(`${access.server.pathname.replace(/\/+$/, '')}${path}`, access.server.origin)
    const where = `${method} ${url.href}`
    const deadline = AbortSignal.timeout(timeoutMs)
    // Debug output excludes headers and bodies: they contain the token and the pods' data.
    const debug = debugFor('kube')
    const begun = debug && performance.now()
    try {
      const answer = await transport({
        method,
        url,
        headers: body === undefined ? headers : { ...headers, 'content-type': body.type },
        trust,
        signal: AbortSignal.any([signal, deadline]),
        maxBytes,
        body: body === undefined ? undefined : JSON.stringify(body.document),
        onData,
      })
      debug?.(method, { url: url.href, status: answer.status, ms: begun && performance.now() - begun })
      if (onData !== undefined && answer.status === 200) return undefined
      return interpret(answer, where, { token, created: method !== 'GET' })
    } catch (cause) {
      if (isKubeError(cause)) throw cause
      debug?.(method, { url: url.href, failed: errnoOf(cause), ms: begun && performance.now() - begun })
      if (signal.aborted) throw new KubeError('ABORTED', `${where}: given up`, { cause: signal.reason })
      if (deadline.aborted) throw new KubeError('TIMEOUT', `${where}: no answer within ${timeoutMs / 1000} s`)
      if (cause instanceof TooLarge) {
        throw new KubeError('BAD_ANSWER', `${where}: the answer is larger than ${maxBytes} bytes`)
      }
      const problem = tlsProblem(trust) ?? cause
      const isDistrusted = distrust.test(failureWords(problem).code)
      const detail = isDistrusted ? await presentedCertificate(url, trust) : undefined
      throw failure(where, access.source, problem, detail)
    }
  }
  return { send, get: (path, options) => send({ method: 'GET', path }, options) }
}

function interpret(
  { status, body, retryAfter }: TransportAnswer,
  where: string,
  { token, created }: { readonly token: string | undefined; readonly created: boolean },
): unknown {
  const document = parse(body)
  if (status === 200 || (created && (status === 201 || status === 202))) {
    if (document !== undefined) return document
    throw new KubeError('BAD_ANSWER', `${where}: the answer is not JSON`)
  }
  const said = (document as { message?: unknown } | null | undefined)?.message
  // Removes the client's token from the API server's error message. Reason: an intermediate server may quote the
  // request's headers.
  const text =
    typeof said === 'string' ? printable(token === undefined ? said : said.replaceAll(token, '…')) : undefined
  throw new KubeError('STATUS', `${where}: ${status}${text === undefined ? '' : `: ${text}`}`, {
    status,
    retryAfterMs: milliseconds(retryAfter),
    said: text,
  })
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined // The body is not JSON. The caller of `parse` throws the error.
  }
}

/** Parses the header `Retry-After` with a number of seconds. Kubernetes does not send the date form of this header. */
const milliseconds = (retryAfter: string | undefined): number | undefined =>
  retryAfter !== undefined && /^\d{1,5}$/.test(retryAfter) ? Number(retryAfter) * 1000 : undefined

function failure(where: string, kubeconfig: string, cause: unknown, detail: string | undefined): KubeError {
  const { code, words } = failureWords(cause)
  if (distrust.test(code)) {
    const more = detail === undefined ? '' : `: ${detail}`
    return new KubeError('UNTRUSTED', `${where}: the server's certificate is not trusted (${code})${more}`, { cause })
  }
  if (code === 'ERR_TLS_SANDBOX') return new KubeError('NO_SANDBOX', `${where}: ${messageOf(cause)}`, { cause })
  if (unusable.test(code)) {
    return new KubeError('BAD_KUBECONFIG', `kubeconfig ${kubeconfig}: unusable TLS settings (${code})`, { cause })
  }
  return new KubeError('NETWORK', `${where}: ${words}${code === '' ? '' : ` (${code})`}`, { cause })
}

/** Returns the error of a damaged certificate or key, because the runtimes report a different error. */
function tlsProblem({ ca, client }: Trust): unknown {
  try {
    const { X509Certificate } = process.getBuiltinModule('node:crypto')
    if (ca !== undefined) new X509Certificate(ca)
    process.getBuiltinModule('node:tls').createSecureContext({ ...client })
    return undefined
  } catch (error) {
    return error
  }
}

const distrust =
  /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE)/
const unusable = /^ERR_(?:OSSL|CRYPTO|BORINGSSL|INVALID_ARG)/
