import type { IncomingMessage, RequestOptions } from 'node:http'
import type { Agent } from 'node:https'
import { errnoOf } from '@cni/types'
import { paced } from './paced.ts'
import {
  StaleConnection,
  TooLarge,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
  type Trust,
} from './transport.ts'

/** HTTP transport with Node's `node:https`. */
export const nodeTransport: Transport = (request) => exchange(request, undefined)

/**
 * Creates an HTTP transport with connections that stay open. Requests with different client certificates share no
 * connection.
 */
export function nodeKeepAlive(): { readonly transport: Transport } & Disposable {
  let agent: Agent | undefined
  return {
    transport(request) {
      agent ??= new (process.getBuiltinModule('node:https').Agent)({ keepAlive: true })
      return exchange(request, agent)
    },
    [Symbol.dispose]: () => agent?.destroy(),
  }
}

// internal

const exchange = (request: TransportRequest, agent: Agent | undefined): Promise<TransportAnswer> =>
  new Promise<TransportAnswer>((resolve, reject) => {
    const fail = (error: unknown): void => {
      reject(error)
      outgoing.destroy()
    }
    let isAnswered = false
    const outgoing = open(request, agent, (incoming) => {
      isAnswered = true
      const passed = incoming.statusCode === 200 ? request.onData : undefined
      const whole = passed === undefined ? collect(incoming, request.maxBytes) : pass(incoming, passed)
      whole.then((body) => {
        const retryAfter = incoming.headers['retry-after']
        resolve({ status: incoming.statusCode ?? 0, retryAfter, body })
      }, fail)
    })
    // Sends TCP keepalive probes, because a watch may be silent for minutes.
    if (request.onData !== undefined) outgoing.setSocketKeepAlive(true, PROBE_MS)
    outgoing.on('error', (cause) => {
      const isStale = !isAnswered && outgoing.reusedSocket && /^(?:ECONNRESET|EPIPE)$/.test(errnoOf(cause) ?? '')
      reject(isStale ? new StaleConnection('the connection was closed meanwhile', { cause }) : cause)
    })
    const onAbort = (): void => fail(request.signal.reason)
    request.signal.addEventListener('abort', onAbort, { once: true })
    outgoing.on('close', () => request.signal.removeEventListener('abort', onAbort))
    outgoing.end(request.body)
  })

/** Milliseconds of silence on a connection before the first TCP keepalive probe. */
const PROBE_MS = 60_000

/** Loads Node's HTTP modules on demand, because most starts of the plugin need no API request. */
function open(
  request: TransportRequest,
  keepAlive: Agent | undefined,
  onResponse: (incoming: IncomingMessage) => void,
) {
  const { method = 'GET', url, headers, trust, body } = request
  const options: RequestOptions = {
    method,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    path: `${url.pathname}${url.search}`,
    headers: body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) },
  }
  if (url.protocol === 'http:') {
    const http = process.getBuiltinModule('node:http')
    return http.request({ ...options, port: url.port || 80, agent: new http.Agent() }, onResponse)
  }
  const https = process.getBuiltinModule('node:https')
  // Uses an HTTP agent of its own: Node's global agent may use the environment's proxies (NODE_USE_ENV_PROXY).
  const agent = keepAlive ?? new https.Agent({ keepAlive: false })
  return https.request(
    { ...options, ...(trust !== undefined && tlsOptions(trust)), port: url.port || 443, agent },
    onResponse,
  )
}

const tlsOptions = ({ ca, insecure, serverName, client }: Trust) => ({
  // Sets the certificate check explicitly, so that the variable NODE_TLS_REJECT_UNAUTHORIZED has no effect.
  rejectUnauthorized: !insecure,
  // Trusts any certificate in the CA file, even an intermediate one, as Go clients do.
  ...(ca !== undefined && { ca, allowPartialTrustChain: true }),
  ...(serverName !== undefined && { servername: serverName }),
  ...client,
})

async function pass(incoming: IncomingMessage, onData: (chunk: Uint8Array) => void): Promise<string> {
  const take = paced(onData)
  for await (const chunk of incoming) await take(chunk)
  return ''
}

function collect(incoming: IncomingMessage, maxBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxBytes) chunks.push(chunk)
      else reject(new TooLarge())
    })
    incoming.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    incoming.on('error', reject)
  })
}
