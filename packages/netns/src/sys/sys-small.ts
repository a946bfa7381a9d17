import { type Pointer, sysFrom } from './libc.ts'
import { declared, type Native, type Signatures } from './native.ts'
import type { Sys } from './sys.ts'

type Argument = number | bigint | Pointer

/** Types of `cni:host`, the module of the small runtime that makes system calls without a C library. */
interface SmallHost {
  /** Makes a system call. Returns the result, or `-errno`. A buffer is passed as its address. */
  syscall(number: number, ...args: readonly (Argument | undefined)[]): number
  /** Memory address of a buffer. The small runtime never moves buffers. */
  address(buffer: Uint8Array): number
  readonly arch: Arch
}

type Arch = 'x64' | 'arm64'

// Numbers of the system calls, from arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h.
const NUMBERS: Readonly<Record<string, Readonly<Record<Arch, number>>>> = {
  accept4: { x64: 288, arm64: 242 },
  bind: { x64: 49, arm64: 200 },
  bpf: { x64: 321, arm64: 280 },
  chroot: { x64: 161, arm64: 51 },
  connect: { x64: 42, arm64: 203 },
  dup3: { x64: 292, arm64: 24 },
  epoll_create1: { x64: 291, arm64: 20 },
  epoll_ctl: { x64: 233, arm64: 21 },
  // Uses epoll_pwait instead of epoll_wait, because arm64 lacks epoll_wait. The omitted signal mask becomes a null
  // pointer.
  epoll_wait: { x64: 281, arm64: 22 },
  execve: { x64: 59, arm64: 221 },
  fchdir: { x64: 81, arm64: 50 },
  fcntl: { x64: 72, arm64: 25 },
  flock: { x64: 73, arm64: 32 },
  getsockopt: { x64: 55, arm64: 209 },
  ioctl: { x64: 16, arm64: 29 },
  listen: { x64: 50, arm64: 201 },
  mount: { x64: 165, arm64: 40 },
  posix_fadvise: { x64: 221, arm64: 223 },
  recvfrom: { x64: 45, arm64: 207 },
  recvmsg: { x64: 47, arm64: 212 },
  rt_sigprocmask: { x64: 14, arm64: 135 },
  sendmsg: { x64: 46, arm64: 211 },
  sendto: { x64: 44, arm64: 206 },
  setns: { x64: 308, arm64: 268 },
  setsockopt: { x64: 54, arm64: 208 },
  socket: { x64: 41, arm64: 198 },
  socketpair: { x64: 53, arm64: 199 },
  umount2: { x64: 166, arm64: 39 },
  unshare: { x64: 272, arm64: 97 },
}

const F_GETFD = 1
const SIGSET_BYTES = 8

/**
 * Implements the system calls over the small runtime that `cni-build` bundles. Returns `undefined` on another
 * JavaScript runtime.
 */
export function sysSmall(): Sys | undefined {
  const host = smallHost()
  if (host === undefined) return undefined
  const call = bound(host)
  const [fcntl, dup3] = [call('fcntl'), call('dup3')]
  return sysFrom('cni:host', {
    setns: call('setns'),
    unshare: call('unshare'),
    mount: call('mount'),
    umount2: call('umount2'),
    fcntl,
    dup2(from, to) {
      // Skips dup3 if both descriptors are equal, because dup3 refuses equal descriptors.
      if (from !== to) return dup3(from, to, 0)
      return fcntl(to, F_GETFD) === -1 ? -1 : to
    },
    fchdir: call('fchdir'),
    chroot: call('chroot'),
    flock: call('flock'),
    socket: call('socket'),
    socketpair: call('socketpair'),
    sendmsg: call('sendmsg'),
    bind: call('bind'),
    connect: call('connect'),
    sendto: call('sendto'),
    recvfrom: call('recvfrom'),
    setsockopt: call('setsockopt'),
    getsockopt: call('getsockopt'),
    ioctl: call('ioctl'),
    sigprocmask: withSize(call('rt_sigprocmask')),
    execve: call('execve'),
    bpf: call('bpf'),
    addressOf: host.address,
    errno: () => errno,
  })
}

/** Binds system calls of the small runtime that `Sys` lacks, by the names of their libc functions. */
export function nativeSmall<F>(signatures: Signatures): Native<F> {
  const host = smallHost()
  if (host === undefined) throw new Error('these system calls need the small runtime')
  const call = bound(host)
  return { functions: declared(signatures, (_, name) => call(name)) as F, addressOf: host.address, errno: () => errno }
}

// internal

/** Errno of the last system call that failed. */
let errno = 0

/** Wraps a system call as a libc function: -1 means a failure. */
const bound = (host: SmallHost) => (name: string) => {
  const number = NUMBERS[name]?.[host.arch]
  if (number === undefined) throw new Error(`the number of the system call ${name} is unknown on ${host.arch}`)
  return (a?: Argument, b?: Argument, c?: Argument, d?: Argument, e?: Argument, f?: Argument): number => {
    const result = host.syscall(number, a, b, c, d, e, f)
    if (result >= 0) return result
    errno = -result
    return -1
  }
}

const withSize = (call: (...args: readonly Argument[]) => number) => (how: number, set: Pointer, old: Pointer) =>
  call(how, set, old, SIGSET_BYTES)

const smallHost = (): SmallHost | undefined => process.getBuiltinModule('cni:host') as SmallHost | undefined
