import type { Listener } from '../events/emitter.ts'
import { SecureContext, type TlsOptions } from '../tls/options.ts'
import { TLSSocket } from '../tls/socket.ts'

export { SecureContext, TLSSocket }

/** Implements Node's `tls.createSecureContext`; the first handshake validates the certificates and key. */
export const createSecureContext = (options: TlsOptions = {}): SecureContext => new SecureContext(options)

/** Overloads of Node's `tls.connect`: `connect(options, listener?)`, `connect(port, host?, options?, listener?)`. */
export function connect(first: number | string | TlsOptions, ...rest: readonly unknown[]): TLSSocket {
  const listener = rest.find((one): one is Listener => typeof one === 'function')
  const host = rest.find((one) => typeof one === 'string')
  const more = rest.find((one): one is TlsOptions => typeof one === 'object' && one !== null)
  const place = typeof first === 'object' ? first : { port: first, ...(host === undefined ? {} : { host }) }
  const socket = new TLSSocket({ ...place, ...more })
  if (listener !== undefined) socket.once('secureConnect', listener)
  return socket
}

export default { connect, createSecureContext, SecureContext, TLSSocket }
