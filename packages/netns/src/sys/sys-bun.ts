import { lateBpf } from './bpf.ts'
import { type LibcFunctions, sysFrom } from './libc.ts'
import { declared, type Native, type Signatures } from './native.ts'
import type { Sys } from './sys.ts'

interface BunFfi {
  dlopen<F>(path: string, symbols: object): { symbols: F & { __errno_location(): number } }
  read: { i32(pointer: number, offset: number): number }
  ptr(buffer: Uint8Array): number
}

const LIBC = 'libc.so.6'

const FUNCTIONS: Readonly<Record<keyof LibcFunctions, string>> = {
  setns: 'ii',
  unshare: 'i',
  mount: 'ppplp',
  umount2: 'pi',
  fcntl: 'iii',
  dup2: 'ii',
  fchdir: 'i',
  chroot: 'p',
  flock: 'ii',
  socket: 'iii',
  socketpair: 'iiip',
  sendmsg: 'ipi',
  bind: 'ipi',
  connect: 'ipi',
  sendto: 'iplipi',
  recvfrom: 'iplipp',
  setsockopt: 'iiipi',
  getsockopt: 'iiipp',
  ioctl: 'ilp',
  sigprocmask: 'ipp',
  execve: 'ppp',
}

/**
 * Implements the system calls over bun:ffi, also inside an executable that bun compiled. Returns `undefined` on another
 * JavaScript runtime.
 */
export function sysBun(): Sys | undefined {
  if (process.versions.bun === undefined) return undefined
  const { functions, addressOf, errno } = nativeBun<LibcFunctions>(FUNCTIONS)
  return sysFrom('bun:ffi', { ...functions, ...lateBpf(nativeBun), addressOf, errno })
}

const TYPES: Readonly<Record<string, string>> = { p: 'ptr', l: 'i64' }

/** Binds libc functions that `Sys` lacks, through bun:ffi. */
export function nativeBun<F>(signatures: Signatures): Native<F> {
  const { dlopen, ptr, read } = bunFfi()
  const { symbols } = dlopen<F>(LIBC, {
    ...declared(signatures, (letters) => ({
      args: letters.map((each) => TYPES[each] ?? 'i32'),
      returns: 'i32',
    })),
    __errno_location: { args: [], returns: 'ptr' },
  })
  // Reads errno through its memory address. The address is constant for each thread.
  const location = symbols.__errno_location()
  return { functions: symbols, addressOf: ptr, errno: () => read.i32(location, 0) }
}

// The module `bun:ffi` has no types in this project, so the result is cast.
function bunFfi(): BunFfi {
  return process.getBuiltinModule('bun:ffi') as unknown as BunFfi
}
