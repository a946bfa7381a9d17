import { errnoName } from '../sys/errno.ts'
import { loadNative } from '../sys/load-native.ts'
import type { Native } from '../sys/native.ts'
import { SysError } from '../sys/sys.ts'

/** Non-blocking socket functions of libc, with their C results. */
interface SocketFunctions {
  listen(fd: number, backlog: number): number
  accept4(fd: number, address: null, length: null, flags: number): number
  sendmsg(fd: number, message: Uint8Array, flags: number): number
  recvmsg(fd: number, message: Uint8Array, flags: number): number
  fcntl(fd: number, command: number, argument: number): number
  epoll_create1(flags: number): number
  epoll_ctl(epoll: number, operation: number, fd: number, event: Uint8Array | null): number
  epoll_wait(epoll: number, events: Uint8Array, most: number, timeout: number): number
}

const signatures = {
  listen: 'ii',
  accept4: 'ippi',
  sendmsg: 'ipi',
  recvmsg: 'ipi',
  fcntl: 'iii',
  epoll_create1: 'i',
  epoll_ctl: 'iiip',
  epoll_wait: 'ipii',
} satisfies Record<keyof SocketFunctions, string>

let loaded: Native<SocketFunctions> | undefined

/** Loads the socket functions of libc at the first call. Throws `NetnsError('NO_FFI')`. */
export function socketCalls(): Native<SocketFunctions> {
  loaded ??= loadNative<SocketFunctions>(signatures)
  return loaded
}

/** Returns the result of a libc call. Throws a `SysError` with its errno if the call has failed. */
export function checked(result: number, syscall: string, detail: string): number {
  if (result !== -1) return result
  throw failed(syscall, detail)
}

/** Creates the error of the libc call that just failed. Any further libc call may overwrite errno. */
export function failed(syscall: string, detail: string): SysError {
  const errno = socketCalls().errno()
  return new SysError(syscall, errnoName(errno), errno, detail)
}
