import { invalidType } from '../errors.ts'
import type { Listener } from '../events/emitter.ts'
import { isIP, isIPv4, isIPv6 } from '../net/ip.ts'
import { Server, type ServerOptions } from '../net/server.ts'
import { Socket as Connection, type SocketOptions } from '../net/socket.ts'

export { isIP, isIPv4, isIPv6, Server }

interface ConnectOptions extends SocketOptions {
  readonly path?: string
  readonly host?: string
  readonly port?: number | string
}

/** Socket that `net.connect` returns, with its connection in progress. */
export class Socket extends Connection {
  /**
   * Overloads of Node's `net.connect`: `connect(path)`, `connect(port, host?)`, `connect(options)`, each with a
   * listener.
   */
  connect(where: string | number | ConnectOptions, ...rest: readonly unknown[]): this {
    const listener = rest.find((one): one is Listener => typeof one === 'function')
    const host = rest.find((one) => typeof one === 'string')
    const options = optionsOf(where, host)
    if (options.path !== undefined) return this.connectTo({ path: options.path }, listener)
    if (options.port === undefined) throw invalidType('options.port', 'of type number', options.port)
    return this.connectTo({ host: options.host ?? 'localhost', port: Number(options.port) }, listener)
  }
}

function optionsOf(where: string | number | ConnectOptions, host: string | undefined): ConnectOptions {
  if (typeof where === 'object') return where
  if (typeof where === 'string' && !/^\d+$/.test(where)) return { path: where }
  return { port: where, ...(host === undefined ? {} : { host }) }
}

export const connect = (where: string | number | ConnectOptions, ...rest: readonly unknown[]): Socket =>
  new Socket(typeof where === 'object' ? where : {}).connect(where, ...rest)

/** @alias */
export const createConnection = connect

export const createServer = (options?: ServerOptions | Listener, listener?: Listener): Server =>
  new Server(options, listener)

export default { connect, createConnection, createServer, isIP, isIPv4, isIPv6, Server, Socket }
