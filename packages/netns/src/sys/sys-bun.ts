import { lateBpf } from './bpf.ts'
import { type Pointer, type SeldomLibc, sysOver } from './libc.ts'
import { declared, type Native, type Signatures } from './native.ts'
import type { Sys } from './sys.ts'

interface BunFfi {
  /** That of `bun:ffi` throws the error. */
  dlopen<F>(path: string, symbols: object): { symbols: F & { __errno_location(): number } } | Error
  read: { i32(pointer: number, offset: number): number }
  ptr(buffer: Uint8Array): number
}

const LIBC = 'libc.so.6'

/** What every plugin calls goes through one function of libc: each more that is bound takes 5 µs. */
const NUMBERS = {
  x64: () => ({
    ioctl: 16,
    socket: 41,
    connect: 42,
    sendto: 44,
    recvfrom: 45,
    bind: 49,
    setsockopt: 54,
    getsockopt: 55,
    fcntl: 72,
    dup3: 292,
    setns: 308,
  }),
  arm64: () => ({
    ioctl: 29,
    socket: 198,
    connect: 203,
    sendto: 206,
    recvfrom: 207,
    bind: 200,
    setsockopt: 208,
    getsockopt: 209,
    fcntl: 25,
    dup3: 24,
    setns: 268,
  }),
}

const F_GETFD = 1

/** bun:ffi, also inside a compiled executable. `undefined` on another runtime. */
export function sysBun(): Sys | undefined {
  const { arch } = process
  if (process.versions.bun === undefined || (arch !== 'x64' && arch !== 'arm64')) return undefined
  const ffi = bunFfi()
  const { syscall, __errno_location } = bound<{ syscall(...args: readonly number[]): number }>(ffi, {
    syscall: { args: Array<string>(7).fill('i64'), returns: 'i64_fast' },
    __errno_location: { args: [], returns: 'ptr' },
  })
  // one address per thread for ever
  const location = __errno_location()
  const numbers = NUMBERS[arch]()
  const call = (name: keyof typeof numbers, a = 0, b = 0, c = 0, d = 0, e = 0, f = 0): number =>
    syscall(numbers[name], a, b, c, d, e, f)
  const at = (pointer: Pointer): number => (pointer === null ? 0 : ffi.ptr(pointer))
  return sysOver('bun:ffi', {
    setns: (fd, nstype) => call('setns', fd, nstype),
    fcntl: (fd, command, argument) => call('fcntl', fd, command, argument),
    dup2(from, to) {
      // arm64 has no dup2, and dup3 refuses two that are one.
      if (from !== to) return call('dup3', from, to)
      return call('fcntl', to, F_GETFD) === -1 ? -1 : to
    },
    socket: (domain, type, protocol) => call('socket', domain, type, protocol),
    bind: (fd, address, length) => call('bind', fd, at(address), length),
    connect: (fd, address, length) => call('connect', fd, at(address), length),
    sendto: (fd, data, size, flags, to, length) => call('sendto', fd, at(data), size, flags, at(to), length),
    recvfrom: (fd, data, size, flags, from, length) =>
      call('recvfrom', fd, at(data), size, flags, at(from), at(length)),
    setsockopt: (fd, level, option, value, length) => call('setsockopt', fd, level, option, at(value), length),
    getsockopt: (fd, level, option, value, length) => call('getsockopt', fd, level, option, at(value), at(length)),
    ioctl: (fd, request, argument) => call('ioctl', fd, request, at(argument)),
    seldom: seldomCalled,
    ...lateBpf(nativeBun),
    addressOf: ffi.ptr,
    errno: () => ffi.read.i32(location, 0),
  })
}

/** All of it is bound when the first of it is called. */
function seldomCalled(): SeldomLibc {
  seldom ??= nativeBun<SeldomLibc>({
    ...{ unshare: 'i', mount: 'ppplp', umount2: 'pi', fchdir: 'i', chroot: 'p', flock: 'ii' },
    ...{ socketpair: 'iiip', sendmsg: 'ipi', sigprocmask: 'ipp', execve: 'ppp' },
  }).functions
  return seldom
}

let seldom: SeldomLibc | undefined

const TYPES: Readonly<Record<string, string>> = { p: 'ptr', l: 'i64' }

/** More of libc through bun:ffi. */
export function nativeBun<F>(signatures: Signatures): Native<F> {
  const ffi = bunFfi()
  const symbols = bound<F>(ffi, {
    ...declared(signatures, (letters) => ({
      args: letters.map((each) => TYPES[each] ?? 'i32'),
      returns: 'i32',
    })),
    __errno_location: { args: [], returns: 'ptr' },
  })
  const location = symbols.__errno_location()
  return { functions: symbols, addressOf: ffi.ptr, errno: () => ffi.read.i32(location, 0) }
}

function bound<F>(ffi: BunFfi, symbols: object): F & { __errno_location(): number } {
  const library = ffi.dlopen<F>(LIBC, symbols)
  if (library instanceof Error) throw library
  return library.symbols
}

/** What `bun:ffi` is made of, where it can be had: to load that takes 0.4 ms. */
function bunFfi(): BunFfi {
  // foreign API without types: the parse boundary
  const { Bun } = globalThis as unknown as { Bun: { FFI?: BunFfi } }
  return Bun.FFI ?? (process.getBuiltinModule('bun:ffi') as unknown as BunFfi)
}
