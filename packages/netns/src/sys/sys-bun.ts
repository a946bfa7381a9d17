import { lateBpf } from './bpf.ts'
import { type Libc, sysOver } from './libc.ts'
import { declared, type Native, type Signatures } from './native.ts'
import type { Sys } from './sys.ts'

interface BunFfi {
  /** That of `bun:ffi` throws the error. */
  dlopen<F>(path: string, symbols: object): { symbols: F & { __errno_location(): number } } | Error
  read: { i32(pointer: number, offset: number): number }
  ptr(buffer: Uint8Array): number
}

const LIBC = 'libc.so.6'

const int = { args: ['i32', 'i32', 'i32'], returns: 'i32' }

/** bun:ffi, also inside a compiled executable. `undefined` on another runtime. */
export function sysBun(): Sys | undefined {
  if (process.versions.bun === undefined) return undefined
  const ffi = bunFfi()
  const symbols = bound<Omit<Libc, 'addressOf' | 'bpf' | 'errno'>>(ffi, {
    setns: { args: ['i32', 'i32'], returns: 'i32' },
    unshare: { args: ['i32'], returns: 'i32' },
    mount: { args: ['ptr', 'ptr', 'ptr', 'u64', 'ptr'], returns: 'i32' },
    umount2: { args: ['ptr', 'i32'], returns: 'i32' },
    fcntl: int,
    dup2: { args: ['i32', 'i32'], returns: 'i32' },
    fchdir: { args: ['i32'], returns: 'i32' },
    chroot: { args: ['ptr'], returns: 'i32' },
    flock: { args: ['i32', 'i32'], returns: 'i32' },
    socket: int,
    socketpair: { args: ['i32', 'i32', 'i32', 'ptr'], returns: 'i32' },
    sendmsg: { args: ['i32', 'ptr', 'i32'], returns: 'i64_fast' },
    bind: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
    connect: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
    sendto: { args: ['i32', 'ptr', 'u64', 'i32', 'ptr', 'u32'], returns: 'i64_fast' },
    recvfrom: { args: ['i32', 'ptr', 'u64', 'i32', 'ptr', 'ptr'], returns: 'i64_fast' },
    setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
    getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
    ioctl: { args: ['i32', 'u64', 'ptr'], returns: 'i32' },
    sigprocmask: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
    execve: { args: ['ptr', 'ptr', 'ptr'], returns: 'i32' },
    __errno_location: { args: [], returns: 'ptr' },
  })
  // one address per thread for ever
  const location = symbols.__errno_location()
  const errno = () => ffi.read.i32(location, 0)
  return sysOver('bun:ffi', { ...symbols, ...lateBpf(nativeBun), addressOf: ffi.ptr, errno })
}

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
