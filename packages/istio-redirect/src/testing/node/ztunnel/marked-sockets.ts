/** Opens sockets by system calls, because Node.js opens sockets only in its process's namespace. */
import { closeSync } from 'node:fs'
import { ZTUNNEL_MARK } from '@cni/istio-rules'
import { type Netns, netns } from '@cni/netns'
import { isSysError, loadSys, type SysError } from '@cni/netns/sys'
import { parseAddress } from '@cni/types/ip'

const AF_INET = 2
const AF_INET6 = 10
const SOCK_STREAM = 1
const SOCK_DGRAM = 2
const SOCK_FLAGS = 0x80000 | 0x800
const SOL_SOCKET = 1
const SO_REUSEADDR = 2
const SO_REUSEPORT = 15
const SO_MARK = 36
const ON = Uint8Array.of(1, 0, 0, 0)
const OFF = Uint8Array.of(0, 0, 0, 0)
const MARK = new Uint8Array(new Uint32Array([ZTUNNEL_MARK]).buffer)
/** Levels and numbers of the socket options IP_TRANSPARENT and IPV6_TRANSPARENT. */
const TRANSPARENT = { [AF_INET]: { level: 0, option: 19 }, [AF_INET6]: { level: 41, option: 75 } } as const
const [SOL_IPV6, IPV6_V6ONLY] = [41, 26]

/** Error of `bind(2)` in a pod, with the error text of the real ztunnel. */
export class BindError extends Error {
  /** Name of the system call's error number, such as `EADDRINUSE`. */
  readonly code: string

  constructor(message: string, cause: SysError) {
    super(message, { cause })
    this.code = cause.code
  }

  static {
    BindError.prototype.name = 'BindError'
  }
}

/** Address and options with which {@link boundSocket} opens a socket in a pod. */
export interface Bound {
  /** IP address to bind. The address `::` accepts connections over IPv4 and IPv6. */
  readonly address: string
  readonly port: number
  /** True to set SO_REUSEPORT. Before Linux 6.6, eBPF programs cannot assign connections to shared listeners. */
  readonly shared: boolean
}

/** Opens a socket that is bound to a pod's address. Returns the file descriptor. */
export function boundSocket(pod: Netns, kind: 'tcp' | 'udp', { address, port, shared }: Bound): number {
  const written = `${address.includes(':') ? `[${address}]` : address}:${port}`
  try {
    return socketIn(pod, kind, address, (fd) => {
      const sys = loadSys()
      sys.setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, ON)
      if (shared) sys.setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, ON)
      if (address === '::') sys.setsockopt(fd, SOL_IPV6, IPV6_V6ONLY, OFF)
      sys.bind(fd, socketAddress(address, port))
    })
  } catch (error) {
    if (!isSysError(error)) throw error
    throw new BindError(`Bind(${written}, ${osError(error)})`, error)
  }
}

/** Starts a connection from a pod. `source` may be an address of another host. */
export function connectMarked(
  pod: Netns,
  { address, port }: { address: string; port: number },
  source?: string,
): number {
  return socketIn(pod, 'tcp', address, (fd) => {
    const sys = loadSys()
    if (source !== undefined) sys.bind(fd, socketAddress(source, 0))
    try {
      sys.connect(fd, socketAddress(address, port))
    } catch (error) {
      if (!isSysError(error) || error.code !== 'EINPROGRESS') throw error
    }
  })
}

// internal

function socketIn(pod: Netns, kind: 'tcp' | 'udp', address: string, prepare: (fd: number) => void): number {
  return netns.run(pod, () => {
    const family = address.includes(':') ? AF_INET6 : AF_INET
    const sys = loadSys()
    const fd = sys.socket(family, (kind === 'tcp' ? SOCK_STREAM : SOCK_DGRAM) | SOCK_FLAGS, 0)
    try {
      sys.setsockopt(fd, SOL_SOCKET, SO_MARK, MARK)
      const { level, option } = TRANSPARENT[family]
      sys.setsockopt(fd, level, option, ON)
      prepare(fd)
      return fd
    } catch (error) {
      closeSync(fd)
      throw error
    }
  })
}

/** Encodes an address and a port as the kernel's struct sockaddr_in or sockaddr_in6. */
function socketAddress(address: string, port: number): Uint8Array {
  const bytes = parseAddress(address)
  if (bytes === undefined) throw new Error(`no address: ${address}`)
  const isIpv4 = bytes.length === 4
  const whole = Buffer.alloc(isIpv4 ? 16 : 28)
  whole.writeUInt16LE(isIpv4 ? AF_INET : AF_INET6, 0)
  whole.writeUInt16BE(port, 2)
  whole.set(bytes, isIpv4 ? 4 : 8)
  return whole
}

const kinds: Readonly<Record<string, readonly [kind: string, message: string]>> = {
  EADDRINUSE: ['AddrInUse', 'Address in use'],
  EINVAL: ['InvalidInput', 'Invalid argument'],
  EACCES: ['PermissionDenied', 'Permission denied'],
}

/** Formats a system call's error as ztunnel, a Rust program, prints it. */
function osError({ code, errno }: Pick<SysError, 'code' | 'errno'>): string {
  const [kind, message] = kinds[code] ?? ['Uncategorized', code]
  return `Os { code: ${errno}, kind: ${kind}, message: "${message}" }`
}
