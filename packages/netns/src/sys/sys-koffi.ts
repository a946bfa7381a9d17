import { lateBpf } from './bpf.ts'
import { type LibcFunctions, sysFrom } from './libc.ts'
import { declared, type Native, type Signatures } from './native.ts'
import { optionalPackage } from './optional-package.ts'
import type { Sys } from './sys.ts'

interface Koffi {
  load(path: string | null): { func(prototype: string): (...args: never) => never }
  errno(): number
  address(buffer: Uint8Array): bigint
}

const prototypes = {
  setns: 'int setns(int, int)',
  unshare: 'int unshare(int)',
  mount: 'int mount(void *, void *, void *, uint64_t, void *)',
  umount2: 'int umount2(void *, int)',
  fcntl: 'int fcntl(int, int, int)',
  dup2: 'int dup2(int, int)',
  fchdir: 'int fchdir(int)',
  chroot: 'int chroot(void *)',
  flock: 'int flock(int, int)',
  socket: 'int socket(int, int, int)',
  socketpair: 'int socketpair(int, int, int, void *)',
  sendmsg: 'int64_t sendmsg(int, void *, int)',
  bind: 'int bind(int, void *, uint32_t)',
  connect: 'int connect(int, void *, uint32_t)',
  sendto: 'int64_t sendto(int, void *, uint64_t, int, void *, uint32_t)',
  recvfrom: 'int64_t recvfrom(int, void *, uint64_t, int, void *, void *)',
  setsockopt: 'int setsockopt(int, int, int, void *, uint32_t)',
  getsockopt: 'int getsockopt(int, int, int, void *, void *)',
  ioctl: 'int ioctl(int, uint64_t, void *)',
  sigprocmask: 'int sigprocmask(int, void *, void *)',
  execve: 'int execve(void *, void *, void *)',
}

/**
 * Implements the system calls over koffi, the optional peer dependency. Throws the error of `require` if koffi is
 * missing.
 */
export function sysKoffi(): Sys {
  const koffi = loadKoffi()
  const libc = koffi.load(null)
  const all = Object.fromEntries(Object.entries(prototypes).map(([name, prototype]) => [name, libc.func(prototype)]))
  const functions = all as unknown as LibcFunctions
  return sysFrom('koffi', {
    ...functions,
    ...lateBpf(nativeKoffi),
    addressOf: koffi.address,
    errno: () => koffi.errno(),
  })
}

const TYPES: Readonly<Record<string, string>> = { p: 'void *', l: 'int64_t' }

/** Binds libc functions that `Sys` lacks, through koffi. */
export function nativeKoffi<F>(signatures: Signatures): Native<F> {
  const koffi = loadKoffi()
  const libc = koffi.load(null)
  const functions = declared(signatures, (letters, name) =>
    libc.func(`int ${name}(${letters.map((each) => TYPES[each] ?? 'int').join(', ')})`),
  )
  return { functions: functions as F, addressOf: koffi.address, errno: () => koffi.errno() }
}

// The package `koffi` has no types in this project, so the result is cast.
function loadKoffi(): Koffi {
  return optionalPackage('koffi') as Koffi
}
