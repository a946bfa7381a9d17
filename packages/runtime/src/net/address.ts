import { host } from '../host.ts'
import { call } from '../sys/numbers.ts'
import { formatIPv6, isIPv4, isIPv6, parseIPv6 } from './ip.ts'

export const AF_UNIX = 1
export const AF_INET = 2
export const AF_INET6 = 10
/** Largest length of a unix socket's path in bytes, with the NUL at its end. */
const UNIX_MAX = 108
const PATH_AT = 2

export interface AddressInfo {
  readonly address: string
  readonly family: 'IPv4' | 'IPv6'
  readonly port: number
}

/** Encodes the path of a unix socket as struct sockaddr_un. Returns `undefined` if the path is too long. */
export function unixAddress(path: string): Uint8Array | undefined {
  const bytes = host.encode(path)
  // Adds no NUL at the end of an abstract unix socket name, which begins with NUL.
  const isAbstract = path.startsWith('\0')
  if (bytes.length >= UNIX_MAX + (isAbstract ? 1 : 0)) return undefined
  const address = new Uint8Array(PATH_AT + bytes.length + (isAbstract ? 0 : 1))
  address[0] = AF_UNIX
  address.set(bytes, PATH_AT)
  return address
}

/** Encodes a numeric IP address and a port as struct sockaddr_in or sockaddr_in6. */
export function ipAddress(address: string, port: number): Uint8Array | undefined {
  if (isIPv4(address)) {
    const bytes = new Uint8Array(16)
    const view = new DataView(bytes.buffer)
    view.setUint16(0, AF_INET, true)
    view.setUint16(2, port)
    bytes.set(address.split('.').map(Number), 4)
    return bytes
  }
  if (!isIPv6(address)) return undefined
  const bytes = new Uint8Array(28)
  const view = new DataView(bytes.buffer)
  view.setUint16(0, AF_INET6, true)
  view.setUint16(2, port)
  for (const [index, group] of (parseIPv6(address.split('%')[0] ?? '') ?? []).entries()) {
    view.setUint16(8 + 2 * index, group)
  }
  return bytes
}

/** Decodes the IP address and port of a socket address. Returns `undefined` for a unix socket. */
export function readAddress(bytes: Uint8Array): AddressInfo | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const family = view.getUint16(0, true)
  if (family === AF_INET) {
    return { address: bytes.slice(4, 8).join('.'), family: 'IPv4', port: view.getUint16(2) }
  }
  if (family !== AF_INET6) return undefined
  const groups = Array.from({ length: 8 }, (_, index) => view.getUint16(8 + 2 * index))
  return { address: formatIPv6(groups), family: 'IPv6', port: view.getUint16(2) }
}

/** Address of one end of a socket; `undefined` for a unix or closed socket. */
export function socketName(which: 'getpeername' | 'getsockname', fd: number | undefined): AddressInfo | undefined {
  const bytes = new Uint8Array(128)
  const result = fd === undefined ? -1 : call(which, fd, bytes, new Uint32Array([bytes.length]))
  return result < 0 ? undefined : readAddress(bytes)
}
