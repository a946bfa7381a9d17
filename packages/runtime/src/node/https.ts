import { ClientRequest, type RequestOptions, type Transport } from '../http/client.ts'
import type { IncomingMessage } from '../http/incoming.ts'
import type { TlsOptions } from '../tls/options.ts'
import { TLSSocket } from '../tls/socket.ts'
import { URL } from '../url/url.ts'
import { Agent as HttpAgent } from './http.ts'
import { urlToHttpOptions } from './url.ts'

type Options = RequestOptions & TlsOptions
type ResponseListener = (response: IncomingMessage) => void

/** Agent for Node's option `agent`. The runtime ignores the agent, because every request has its own connection. */
export class Agent extends HttpAgent {}

export const globalAgent = /* @__PURE__ */ new Agent()

const tls: Transport = {
  protocol: 'https:',
  port: 443,
  // Removes `signal` from the connection's options, because the HTTPS request itself handles an abort.
  open: (host, port, { signal: _, ...options }) => new TLSSocket({ ...options, host, port }),
}

/**
 * Overloads of the `request` function of `node:https`: `request(url, options?, listener?)`, `request(options,
 * listener?)`.
 */
export function request(first: string | URL | Options, ...rest: readonly unknown[]): ClientRequest {
  const listener = rest.find((one): one is ResponseListener => typeof one === 'function')
  const more = rest.find((one): one is Options => typeof one === 'object' && one !== null)
  const options = typeof first === 'string' || first instanceof URL ? urlToHttpOptions(new URL(first)) : first
  return new ClientRequest({ ...options, ...more }, listener, tls)
}

export function get(first: string | URL | Options, ...rest: readonly unknown[]): ClientRequest {
  return request(first, ...rest).end()
}

export default { Agent, get, globalAgent, request }
