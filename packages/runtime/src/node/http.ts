import type { Listener } from '../events/emitter.ts'
import { ClientRequest, type RequestOptions } from '../http/client.ts'
import { IncomingMessage } from '../http/incoming.ts'
import { OutgoingMessage } from '../http/outgoing.ts'
import { ServerResponse } from '../http/response.ts'
import { Server } from '../http/server.ts'
import { STATUS_CODES } from '../http/status-codes.ts'
import { URL } from '../url/url.ts'
import { urlToHttpOptions } from './url.ts'

export { ClientRequest, IncomingMessage, OutgoingMessage, Server, ServerResponse, STATUS_CODES }

export const METHODS = ['CONNECT', 'DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'TRACE']
export const maxHeaderSize = 16_384

/** Agent for Node's option `agent`. The runtime ignores the agent, because every request has its own connection. */
export class Agent {
  readonly options: object
  constructor(options: object = {}) {
    this.options = options
  }
  destroy(): void {}
}

export const globalAgent = /* @__PURE__ */ new Agent()

type ResponseListener = (response: IncomingMessage) => void

/**
 * Overloads of the `request` function of `node:http`: `request(url, options?, listener?)`, `request(options,
 * listener?)`.
 */
export function request(first: string | URL | RequestOptions, ...rest: readonly unknown[]): ClientRequest {
  const listener = rest.find((one): one is ResponseListener => typeof one === 'function')
  const more = rest.find((one): one is RequestOptions => typeof one === 'object' && one !== null)
  const options = typeof first === 'string' || first instanceof URL ? urlToHttpOptions(new URL(first)) : first
  return new ClientRequest({ ...options, ...more }, listener)
}

export function get(first: string | URL | RequestOptions, ...rest: readonly unknown[]): ClientRequest {
  return request(first, ...rest).end()
}

export const createServer = (options?: object | Listener, listener?: Listener): Server => new Server(options, listener)

export default {
  Agent,
  ClientRequest,
  createServer,
  get,
  globalAgent,
  IncomingMessage,
  maxHeaderSize,
  METHODS,
  OutgoingMessage,
  request,
  Server,
  ServerResponse,
  STATUS_CODES,
}
