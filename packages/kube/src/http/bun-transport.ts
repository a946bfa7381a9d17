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

/** Options of bun's `fetch` that the web standard does not have. */
interface BunRequestInit extends RequestInit {
  readonly tls?: {
    readonly ca?: string
    readonly allowPartialTrustChain?: boolean
    readonly rejectUnauthorized: boolean
    readonly serverName?: string
    readonly cert?: string
    readonly key?: string
  }
  readonly unix?: string
  readonly proxy: false
  readonly verbose: false
  readonly decompress: false
}

/** HTTP transport with bun's own `fetch`, which is faster than bun's `node:https`. */
export const bunTransport: Transport = async (request) => answerOf(await ask(request, false), request)

/** Creates an HTTP transport with connections that bun keeps open. A program cannot close these connections. */
export function bunKeepAlive(): { readonly transport: Transport } & Disposable {
  let isWarm = false
  return {
    async transport(request) {
      const response = await ask(request, true).catch((cause) => {
        throw isWarm && errnoOf(cause) === 'ECONNRESET'
          ? new StaleConnection('the connection was closed meanwhile', { cause })
          : cause
      })
      const answer = await answerOf(response, request)
      isWarm = true
      return answer
    },
    [Symbol.dispose]() {},
  }
}

// internal

function ask(
  { method = 'GET', url, headers, trust, signal, body }: TransportRequest,
  keepalive: boolean,
): Promise<Response> {
  const init: BunRequestInit = {
    method,
    ...(body !== undefined && { body }),
    headers: { ...headers, 'accept-encoding': 'identity' },
    redirect: 'manual',
    keepalive,
    signal,
    ...(trust !== undefined && { tls: tlsOptions(trust) }),
    // `proxy: false` makes Bun ignore HTTPS_PROXY. `verbose: false` stops BUN_CONFIG_VERBOSE_FETCH from printing the
    // token.
    proxy: false,
    verbose: false,
    decompress: false,
  }
  return fetch(url, init)
}

async function answerOf(response: Response, { onData, maxBytes }: TransportRequest): Promise<TransportAnswer> {
  const retryAfter = response.headers.get('retry-after') ?? undefined
  const { status } = response
  if (status === 200 && onData !== undefined) {
    await pass(response, onData)
    return { status, retryAfter, body: '' }
  }
  return { status, retryAfter, body: await collect(response, maxBytes) }
}

const tlsOptions = ({ ca, insecure, serverName, client }: Trust) => ({
  // Sets the certificate check explicitly, so that the variable NODE_TLS_REJECT_UNAUTHORIZED has no effect.
  rejectUnauthorized: !insecure,
  // Trusts any certificate in the CA file, even an intermediate one, as Go clients do.
  ...(ca !== undefined && { ca, allowPartialTrustChain: true }),
  ...(serverName !== undefined && { serverName }),
  ...client,
})

async function pass({ body }: Response, onData: (chunk: Uint8Array) => void): Promise<void> {
  const reader = body?.getReader()
  const take = paced(onData)
  try {
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) await take(part.value)
  } catch (error) {
    reader?.cancel().catch(() => {})
    throw error
  }
}

async function collect({ body }: Response, maxBytes: number): Promise<string> {
  const reader = body?.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
    size += part.value.length
    if (size > maxBytes) {
      // Does not wait for bun to cancel the rest of the answer, because the request has failed already.
      reader?.cancel().catch(() => {})
      throw new TooLarge()
    }
    chunks.push(part.value)
  }
  return Buffer.concat(chunks).toString('utf8')
}
