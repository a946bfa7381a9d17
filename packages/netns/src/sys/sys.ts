/**
 * The system calls of this package, whatever the FFI behind them. All block; none forks.
 * Each throws a {@link SysError} with the errno name. Those of namespaces change the calling thread only.
 */
export interface Sys {
  readonly name: 'cni:host' | 'bun:ffi' | 'node:ffi' | 'koffi'
  setns(fd: number, nstype: number): void
  unshare(flags: number): void
  mount(source: string, target: string, fstype: string | null, flags: number, data: string | null): void
  umount2(target: string, flags: number): void
  /** A copy that children do not inherit (F_DUPFD_CLOEXEC, 3 or higher). */
  dup(fd: number): number
  /** Makes `to` a copy of `from` that children inherit. */
  dup2(from: number, to: number): void
  fchdir(fd: number): void
  chroot(path: string): void
  /** `LOCK_EX` waits for other holders. */
  flock(fd: number, operation: number): void
  /** Close it with `fs.closeSync`. */
  socket(domain: number, type: number, protocol: number): number
  /** Two unix sockets that are connected. Close both with `fs.closeSync`. */
  socketpair(type: number): [number, number]
  /** Sends a byte through a unix socket, and with it copies of descriptors (SCM_RIGHTS). */
  sendDescriptors(fd: number, descriptors: readonly number[]): void
  bind(fd: number, address: Uint8Array): void
  connect(fd: number, address: Uint8Array): void
  /** The number of bytes sent. */
  sendto(fd: number, data: Uint8Array, flags: number, address?: Uint8Array): number
  /**
   * The number of bytes received; with MSG_TRUNC the real length, which may exceed the buffer's. The sender's address
   * is written into `from`, cut if it does not fit.
   */
  recv(fd: number, buffer: Uint8Array, flags: number, from?: Uint8Array): number
  setsockopt(fd: number, level: number, option: number, value: Uint8Array): void
  /** At most `size` bytes of the option's value. */
  getsockopt(fd: number, level: number, option: number, size: number): Uint8Array
  /**
   * Makes this process another program: it returns only by throwing. The process keeps its id and the descriptors that
   * are not close-on-exec, which Node makes even 0, 1 and 2; ignored and blocked signals stay so. Texts are bytes, like
   * those of `/proc/self/environ`.
   *
   * @param blocked a signal for which the program is not ready when it begins: it unblocks it itself
   */
  execve(path: string, args: readonly Uint8Array[], env: readonly Uint8Array[], blocked?: number): never
  /** The argument is read and written in place. */
  ioctl(fd: number, request: number, argument: Uint8Array): number
  /**
   * bpf(2): the result, a descriptor where one is made (`fs.closeSync`; children do not inherit it). The attribute and
   * what it points to are read and written in place, also when the kernel refuses; addresses in it are zero afterwards.
   * Throws `ENOSYS` where the processor is neither x64 nor arm64.
   *
   * @param attr `union bpf_attr`, as far as it is used; what is beyond the kernel's own must be zero
   * @param pointers where in it an address belongs, and of what; none where it is to be a null pointer
   */
  bpf(command: number, attr: Uint8Array, pointers?: readonly (readonly [offset: number, bytes: Uint8Array])[]): number
}

const brand = Symbol.for('cni.SysError')

/** A failed system call: `code` is the errno name. */
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

/** Is it a {@link SysError}, also one of another copy of this package? */
export function isSysError(error: unknown): error is SysError {
  return error instanceof Error && brand in error
}
