import { debugFor } from '@cni/host/debug'
import { errnoOf, messageOf, printable } from '@cni/types'
import type { ClusterAccess } from '../config/kubeconfig.ts'
import { defaultTransport } from '../http/default-transport.ts'
import { failureWords } from '../http/failure-words.ts'
import { presentedCertificate } from '../http/presented-certificate.ts'
import { TooLarge, type Transport, type TransportAnswer, type Trust } from '../http/transport.ts'
import { isKubeError, KubeError } from '../kube-error.ts'

/** A client of one API server. */
export interface KubeClient {
  /** Gets one JSON document; `path` is absolute and already percent-encoded. Throws `KubeError`. */
  get(path: string, options: { readonly signal: AbortSignal }): Promise<unknown>
  /** Any other request; answers like {@link KubeClient.get}, or `undefined` where the answer went to `onData`. */
  send(request: KubeRequest, options: { readonly signal: AbortSignal }): Promise<unknown>
}

/** What the node agent asks for besides single objects. */
export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Absolute and already percent-encoded, with its query. */
  readonly path: string
  readonly body?: { readonly type: string; readonly document: unknown }
  /** Instead of those of the client. */
  readonly timeoutMs?: number
  readonly maxBytes?: number
  /** Takes the answer bit by bit: a watch. What it throws ends the request, unchanged if it is a `KubeError`. */
  readonly onData?: (chunk: Uint8Array) => void
}

/** Limits of one request. */
export interface KubeClientOptions {
  /** The whole request, connection and body included. Default 10 s. */
  readonly timeoutMs?: number
  /** Largest answer that is read. Default 4 MiB; etcd refuses objects above 1.5 MiB. */
  readonly maxBytes?: number
  readonly userAgent?: string
}

/**
 * A client without a cache, a pool or a loop. TLS is verified unless the kubeconfig says otherwise, whatever the
 * environment says; proxies from the environment are ignored, redirects are not followed, and plain `http` servers are
 * never sent a credential.
 */
export function kubeClient(access: ClusterAccess, options: KubeClientOptions = {}): KubeClient {
  return clientOver(defaultTransport, access, options)
}

/** A client that sends by a transport of the caller's. */
export function clientOver(transport: Transport, access: ClusterAccess, options: KubeClientOptions = {}): KubeClient {
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
    // Neither headers nor bodies: those have the token, and what pods say.
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
  // What stands in between may send our own headers back to us.
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
    return undefined // reported by the caller, who knows the status
  }
}

/** Seconds only; the date form is not used by Kubernetes. */
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

/**
 * What is wrong with the kubeconfig's certificates, if anything: of a damaged one bun says that a socket could not be
 * opened, as of an unreachable host, and Node that it trusts nobody. Only a failed request pays for the look.
 */
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
