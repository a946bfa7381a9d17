/**
 * System calls of this package, independent of the FFI. All methods block the thread; no method forks. Each method
 * throws a {@link SysError} with the errno name. Methods for namespaces change the calling thread only.
 */
export interface Sys {
  readonly name: 'cni:host' | 'bun:ffi' | 'node:ffi' | 'koffi'
  setns(fd: number, nstype: number): void
  unshare(flags: number): void
  mount(source: string, target: string, fstype: string | null, flags: number, data: string | null): void
  umount2(target: string, flags: number): void
  /**
   * Duplicates a descriptor (F_DUPFD_CLOEXEC). The new number is 3 or higher. Child processes do not inherit the copy.
   */
  dup(fd: number): number
  /** Makes the descriptor `to` a copy of the descriptor `from`. Child processes inherit the copy. */
  dup2(from: number, to: number): void
  fchdir(fd: number): void
  chroot(path: string): void
  /** Locks or unlocks an open file (flock). `LOCK_EX` waits until no other process holds the lock. */
  flock(fd: number, operation: number): void
  /** Opens a socket. Close the socket with `fs.closeSync`. */
  socket(domain: number, type: number, protocol: number): number
  /** Opens two connected unix sockets. Close both with `fs.closeSync`. */
  socketpair(type: number): [number, number]
  /** Sends one byte through a unix socket together with copies of descriptors (SCM_RIGHTS). */
  sendDescriptors(fd: number, descriptors: readonly number[]): void
  bind(fd: number, address: Uint8Array): void
  connect(fd: number, address: Uint8Array): void
  /** Sends a datagram. Returns the number of bytes sent. */
  sendto(fd: number, data: Uint8Array, flags: number, address?: Uint8Array): number
  /**
   * Receives a datagram and returns its length in bytes. With MSG_TRUNC, the length may exceed the buffer. Writes the
   * sender's address into `from`, truncated if it does not fit.
   */
  recv(fd: number, buffer: Uint8Array, flags: number, from?: Uint8Array): number
  setsockopt(fd: number, level: number, option: number, value: Uint8Array): void
  /** Reads the value of a socket option, at most `size` bytes. */
  getsockopt(fd: number, level: number, option: number, size: number): Uint8Array
  /**
   * Replaces the program of this process by another program (execve). Never returns; throws on failure. The process
   * keeps its id and the descriptors without the flag close-on-exec. Node.js sets the flag even on the three standard
   * descriptors. Ignored signals stay ignored, and blocked signals stay blocked.
   *
   * @param blocked - signal to block until the new program has installed its handler and unblocks it
   */
  execve(path: string, args: readonly Uint8Array[], env: readonly Uint8Array[], blocked?: number): never
  /** Calls ioctl(2). The kernel reads the argument's bytes and overwrites them. */
  ioctl(fd: number, request: number, argument: Uint8Array): number
  /**
   * Calls bpf(2). Close a resulting descriptor with `fs.closeSync`. Child processes do not inherit the descriptor. The
   * kernel overwrites the attribute and the memory, even for a refused call. Addresses in the attribute are zero
   * afterwards. Throws `ENOSYS` on processors other than x64 and arm64.
   *
   * @param attr - `union bpf_attr`, up to the last member used; bytes that the kernel does not know must be zero
   * @param pointers - offsets of pointers in `attr`, each with the memory to point to; omit null pointers
   */
  bpf(command: number, attr: Uint8Array, pointers?: readonly (readonly [offset: number, bytes: Uint8Array])[]): number
}

const brand = Symbol.for('cni.SysError')

/** Error of a failed system call. Its `code` is the errno name. */
export class SysError extends Error {
  readonly code: string
  readonly errno: number
  readonly syscall: string
  readonly [brand] = true

  constructor(syscall: string, code: string, errno: number, detail: string) {
    super(`${syscall}${detail === '' ? '' : ` ${detail}`}: ${code}`)
    this.code = code
    this.errno = errno
    this.syscall = syscall
  }
}
SysError.prototype.name = 'SysError'

/** True for a {@link SysError}, even if another copy of this package created the error. */
export function isSysError(error: unknown): error is SysError {
  return error instanceof Error && brand in error
}
