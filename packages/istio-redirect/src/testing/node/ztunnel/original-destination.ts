import type { Server, Socket } from 'node:net'
import { loadSys } from '@cni/netns/sys'

const SOL_IP = 0
const SOL_IPV6 = 41
const SO_ORIGINAL_DST = 80

/**
 * Reads the original destination of a redirected connection from the kernel's connection tracking.
 *
 * @throws SysError `ENOENT` if the connection was not redirected.
 */
export function originalDestination(socket: Socket): { address: string; port: number } {
  const fd = fileDescriptor(socket)
  // A listener for both IPv4 and IPv6 reports an IPv4 address as an IPv4-mapped IPv6 address.
  if (socket.remoteFamily === 'IPv6' && !socket.remoteAddress?.startsWith('::ffff:')) {
    // Layout of struct sockaddr_in6: family, port, flow, 16 bytes of address, scope.
    const raw = loadSys().getsockopt(fd, SOL_IPV6, SO_ORIGINAL_DST, 28)
    const view = new DataView(raw.buffer, raw.byteOffset, raw.byteLength)
    const groups = Array.from({ length: 8 }, (_, i) => view.getUint16(8 + 2 * i).toString(16))
    return { address: new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1), port: view.getUint16(2) }
  }
  // Layout of struct sockaddr_in: family, port, 4 bytes of address.
  const raw = loadSys().getsockopt(fd, SOL_IP, SO_ORIGINAL_DST, 16)
  const port = new DataView(raw.buffer, raw.byteOffset, raw.byteLength).getUint16(2)
  return { address: raw.subarray(4, 8).join('.'), port }
}

/** Returns the file descriptor of a socket. Node.js has no public API for it. */
export function fileDescriptor(socket: Socket | Server): number {
  const handle: unknown = Reflect.get(socket, '_handle')
  const fd: unknown = typeof handle === 'object' && handle !== null ? Reflect.get(handle, 'fd') : undefined
  if (typeof fd !== 'number') throw new Error('the socket has no file descriptor (is it closed?)')
  return fd
}
