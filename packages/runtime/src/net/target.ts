import { call } from '../sys/numbers.ts'
import { AF_INET, AF_INET6, AF_UNIX, ipAddress, unixAddress } from './address.ts'
import { lookupHost } from './lookup.ts'

/** Address that a socket connects to. */
export type Target = { readonly path: string } | { readonly host: string; readonly port: number }

const SOCK_STREAM = 1
const SOL_SOCKET = 1
const SO_ERROR = 4
const SOCK_CLOEXEC_NONBLOCK = 0o2004000
const EINVAL = -22
/** A name that /etc/hosts does not list; no errno of the kernel. */
export const ENOTFOUND = -3008

/** Makes a socket, hands its descriptor over and begins to connect. Returns the result of `connect`. */
export function openTarget(target: Target, attach: (fd: number) => void): number {
  const name = 'path' in target ? '' : lookupHost(target.host)
  if (name === undefined) return ENOTFOUND
  const address = 'path' in target ? unixAddress(target.path) : ipAddress(name, target.port)
  if (address === undefined) return EINVAL
  const fd = openSocket('path' in target ? AF_UNIX : name.includes(':') ? AF_INET6 : AF_INET)
  if (fd < 0) return fd
  attach(fd)
  return call('connect', fd, address, address.length)
}

export const openSocket = (family: number): number => call('socket', family, SOCK_STREAM | SOCK_CLOEXEC_NONBLOCK, 0)

/** Result of a connection that was begun: 0, or a negative errno. */
export function connectResult(fd: number): number {
  const error = new Int32Array(1)
  call('getsockopt', fd, SOL_SOCKET, SO_ERROR, error, new Int32Array([4]))
  return -(error[0] ?? 0)
}
