import { lateBpf } from './bpf.ts'
import { sysFrom } from './libc.ts'
import { declared, type Native, type Signatures } from './native.ts'
import type { Sys } from './sys.ts'

type NodeFfi = typeof import('node:ffi')

const int32 = (count: number) => ({ arguments: Array<'int32'>(count).fill('int32'), return: 'int32' }) as const

/** Implements the system calls over node:ffi. The signatures have the keys that node:ffi expects since Node.js 26.9. */
export function sysNode(): Sys | undefined {
  const ffi = nodeFfi()
  if (ffi === undefined) return undefined
  const { functions: libc } = ffi.dlopen(null, {
    setns: int32(2),
    unshare: int32(1),
    mount: { arguments: ['pointer', 'pointer', 'pointer', 'uint64', 'pointer'], return: 'int32' },
    umount2: { arguments: ['pointer', 'int32'], return: 'int32' },
    fcntl: int32(3),
    dup2: int32(2),
    fchdir: int32(1),
    chroot: { arguments: ['pointer'], return: 'int32' },
    flock: int32(2),
    socket: int32(3),
    socketpair: { arguments: ['int32', 'int32', 'int32', 'pointer'], return: 'int32' },
    sendmsg: { arguments: ['int32', 'pointer', 'int32'], return: 'int64' },
    bind: { arguments: ['int32', 'pointer', 'uint32'], return: 'int32' },
    connect: { arguments: ['int32', 'pointer', 'uint32'], return: 'int32' },
    sendto: { arguments: ['int32', 'pointer', 'uint64', 'int32', 'pointer', 'uint32'], return: 'int64' },
    recvfrom: { arguments: ['int32', 'pointer', 'uint64', 'int32', 'pointer', 'pointer'], return: 'int64' },
    setsockopt: { arguments: ['int32', 'int32', 'int32', 'pointer', 'uint32'], return: 'int32' },
    getsockopt: { arguments: ['int32', 'int32', 'int32', 'pointer', 'pointer'], return: 'int32' },
    ioctl: { arguments: ['int32', 'uint64', 'pointer'], return: 'int32' },
    sigprocmask: { arguments: ['int32', 'pointer', 'pointer'], return: 'int32' },
    execve: { arguments: ['pointer', 'pointer', 'pointer'], return: 'int32' },
    __errno_location: { arguments: [], return: 'pointer' },
  })
  // Reads errno through its memory address. The address is constant for each thread.
  const location = libc.__errno_location()
  return sysFrom('node:ffi', {
    setns: libc.setns,
    unshare: libc.unshare,
    mount: (source, target, type, flags, data) => libc.mount(source, target, type, BigInt(flags), data),
    umount2: libc.umount2,
    fcntl: libc.fcntl,
    dup2: libc.dup2,
    fchdir: libc.fchdir,
    chroot: libc.chroot,
    flock: libc.flock,
    socket: libc.socket,
    socketpair: libc.socketpair,
    sendmsg: (fd, message, flags) => Number(libc.sendmsg(fd, message, flags)),
    bind: libc.bind,
    connect: libc.connect,
    sendto: (fd, data, size, flags, to, length) => Number(libc.sendto(fd, data, BigInt(size), flags, to, length)),
    recvfrom: (fd, data, size, flags, from, length) =>
      Number(libc.recvfrom(fd, data, BigInt(size), flags, from, length)),
    setsockopt: libc.setsockopt,
    getsockopt: libc.getsockopt,
    ioctl: (fd, request, argument) => libc.ioctl(fd, BigInt(request), argument),
    sigprocmask: libc.sigprocmask,
    execve: libc.execve,
    ...lateBpf(nativeNode),
    addressOf: ffi.getRawPointer,
    errno: () => ffi.getInt32(location, 0),
  })
}

const TYPES: Readonly<Record<string, 'pointer' | 'int64'>> = { p: 'pointer', l: 'int64' }

/** Binds libc functions that `Sys` lacks, through node:ffi. */
export function nativeNode<F>(signatures: Signatures): Native<F> {
  const ffi = nodeFfi()
  if (ffi === undefined) throw new Error(`Node ${process.version} has no node:ffi`)
  const { functions } = ffi.dlopen(null, {
    ...declared(signatures, (letters) => ({
      arguments: letters.map((each) => TYPES[each] ?? 'int32'),
      return: 'int32' as const,
    })),
    __errno_location: { arguments: [], return: 'pointer' },
  })
  const location = functions.__errno_location()
  return { functions: functions as F, addressOf: ffi.getRawPointer, errno: () => ffi.getInt32(location, 0) }
}

function nodeFfi(): NodeFfi | undefined {
  return withoutFfiWarning(() => process.getBuiltinModule('node:ffi') as NodeFfi | undefined)
}

/** Suppresses Node.js's warning about node:ffi, because a plugin writes its log to stderr. */
function withoutFfiWarning<T>(load: () => T): T {
  const original = process.emitWarning
  process.emitWarning = (...args: unknown[]) => {
    if (args[1] === 'ExperimentalWarning' && String(args[0]).startsWith('FFI ')) return
    Reflect.apply(original, process, args)
  }
  try {
    return load()
  } finally {
    process.emitWarning = original
  }
}
