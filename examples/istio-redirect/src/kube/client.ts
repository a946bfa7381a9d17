import { printable } from '../printable.ts'
import { bunTransport } from './bun-transport.ts'
import { KubeError } from './kube-error.ts'
import type { ClusterAccess } from './kubeconfig.ts'
import { nodeTransport } from './node-transport.ts'
import { TooLarge, type Transport, type TransportAnswer, type Trust } from './transport.ts'

/** A read-only client of one API server. */
export interface KubeClient {
  /** Gets one JSON document; `path` is absolute and already percent-encoded. Throws `KubeError`. */
  get(path: string, signal: AbortSignal): Promise<unknown>
}

/** Limits of one request. */
export interface KubeClientOptions {
  /** The whole request, connection and body included. Default 10 s. */
  readonly timeoutMs?: number
  /** Largest answer that is read. Default 4 MiB; etcd refuses objects above 1.5 MiB. */
  readonly maxBytes?: number
  readonly userAgent?: string
  /** How to send; by default whatever the runtime does best. */
  readonly transport?: Transport
}

/**
 * A client that does one thing: `GET` one object. TLS is verified unless the kubeconfig says otherwise, whatever the
 * environment says; proxies from the environment are ignored, redirects are not followed, and plain `http` servers are
 * never sent a credential.
 */
export function kubeClient(access: ClusterAccess, options: KubeClientOptions = {}): KubeClient {
  const { timeoutMs = 10_000, maxBytes = 4 * 1024 * 1024, userAgent = 'istio-cni' } = options
  const send = options.transport ?? (process.versions.bun === undefined ? nodeTransport : bunTransport)
  const secure = access.server.protocol === 'https:'
  const token = secure ? access.token() : undefined
  const headers = {
    accept: 'application/json',
    'user-agent': userAgent,
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  const { ca, insecure, serverName } = access
  const trust = { ca, insecure, serverName, client: secure ? access.clientCertificate() : undefined }
  return {
    async get(path, signal) {
      const url = new URL(`${access.server.pathname.replace(/\/+$/, '')}${path}`, access.server.origin)
      const where = `GET ${url.href}`
      const deadline = AbortSignal.timeout(timeoutMs)
      const either = AbortSignal.any([signal, deadline])
      try {
        return interpret(await send({ url, headers, trust, signal: either, maxBytes }), where, token)
      } catch (cause) {
        if (cause instanceof KubeError) throw cause
        if (signal.aborted) throw new KubeError('ABORTED', `${where}: given up`, { cause: signal.reason })
        if (deadline.aborted) throw new KubeError('TIMEOUT', `${where}: no answer within ${timeoutMs / 1000} s`)
        if (cause instanceof TooLarge) {
          throw new KubeError('BAD_ANSWER', `${where}: the answer is larger than ${maxBytes} bytes`)
        }
        throw failure(where, access.source, tlsProblem(trust) ?? cause)
      }
    },
  }
}

function interpret({ status, body, retryAfter }: TransportAnswer, where: string, token?: string): unknown {
  const document = parse(body)
  if (status === 200) {
    if (document !== undefined) return document
    throw new KubeError('BAD_ANSWER', `${where}: the answer is not JSON`)
  }
  const said = (document as { message?: unknown } | null | undefined)?.message
  // What stands in between may send our own headers back to us.
  const text =
    typeof said === 'string' ? `: ${printable(token === undefined ? said : said.replaceAll(token, '…'))}` : ''
  throw new KubeError('STATUS', `${where}: ${status}${text}`, { status, retryAfterMs: milliseconds(retryAfter) })
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

/** What the runtime says in its own words; both say the same codes. */
function failure(where: string, kubeconfig: string, cause: unknown): KubeError {
  const code = codeOf(cause)
  if (distrust.test(code)) {
    return new KubeError('UNTRUSTED', `${where}: the server's certificate is not trusted (${code})`, { cause })
  }
  if (unusable.test(code)) {
    return new KubeError('BAD_KUBECONFIG', `kubeconfig ${kubeconfig}: unusable TLS settings (${code})`, { cause })
  }
  const text = words[code] ?? printable(cause instanceof Error ? cause.message : String(cause))
  return new KubeError('NETWORK', `${where}: ${text}${code === '' ? '' : ` (${code})`}`, { cause })
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
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there',
  ECONNRESET: 'the connection was cut',
  EHOSTUNREACH: 'there is no way to that host',
  ENETUNREACH: 'there is no way to that network',
  ENOTFOUND: 'there is no such host',
}

const codeOf = (error: unknown): string => {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : ''
}
