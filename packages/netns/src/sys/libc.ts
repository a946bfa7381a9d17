import { type BpfLibc, callBpf } from './bpf.ts'
import { errnoName } from './errno.ts'
import { type Sys, SysError } from './sys.ts'

/** Pointer argument of a libc function: NUL-terminated text, a buffer, or a null pointer. */
export type Pointer = Uint8Array | null

/** Functions of libc that an FFI (foreign function interface) must provide. */
export interface Libc extends BpfLibc {
  setns(fd: number, nstype: number): number
  unshare(flags: number): number
  mount(source: Pointer, target: Pointer, fstype: Pointer, flags: number, data: Pointer): number
  umount2(target: Pointer, flags: number): number
  fcntl(fd: number, command: number, argument: number): number
  dup2(from: number, to: number): number
  fchdir(fd: number): number
  chroot(path: Pointer): number
  flock(fd: number, operation: number): number
  socket(domain: number, type: number, protocol: number): number
  socketpair(domain: number, type: number, protocol: number, pair: Pointer): number
  sendmsg(fd: number, message: Pointer, flags: number): number
  bind(fd: number, address: Pointer, length: number): number
  connect(fd: number, address: Pointer, length: number): number
  sendto(fd: number, data: Pointer, size: number, flags: number, address: Pointer, length: number): number
  recvfrom(fd: number, buffer: Pointer, size: number, flags: number, address: Pointer, length: Pointer): number
  setsockopt(fd: number, level: number, option: number, value: Pointer, length: number): number
  getsockopt(fd: number, level: number, option: number, value: Pointer, length: Pointer): number
  ioctl(fd: number, request: number, argument: Pointer): number
  sigprocmask(how: number, set: Pointer, old: Pointer): number
  execve(path: Pointer, args: Pointer, env: Pointer): number
}

/** Functions of libc that an FFI (foreign function interface) binds by name. */
export type LibcFunctions = Omit<Libc, keyof BpfLibc>

const F_DUPFD_CLOEXEC = 1030
const AF_UNIX = 1
const SOL_SOCKET = 1
const SCM_RIGHTS = 1
const CMSGHDR = 16
const SIG_BLOCK = 0
const SIG_SETMASK = 2
const SIGSET_BYTES = 128

/** Implements `Sys` over the libc functions of an FFI. */
export function sysFrom(name: Sys['name'], libc: Libc): Sys {
  // Reads errno right after the failed call: any other call on this thread may overwrite errno.
  const failed = (syscall: string, detail: readonly unknown[]): SysError => {
    const errno = libc.errno()
    return new SysError(syscall, errnoName(errno), errno, detail.join(' '))
  }
  const check = (result: number, syscall: string, ...detail: unknown[]): number => {
    if (result !== -1) return result
    throw failed(syscall, detail)
  }
  const addressLength = new Uint32Array(1)
  const addressLengthBytes = new Uint8Array(addressLength.buffer)
  return {
    name,
    setns: (fd, nstype) => void check(libc.setns(fd, nstype), 'setns', fd),
    unshare: (flags) => void check(libc.unshare(flags), 'unshare', flags),
    mount(source, target, fstype, flags, data) {
      const result = libc.mount(text(source), text(target), text(fstype), flags, text(data))
      check(result, 'mount', source, 'on', target)
    },
    umount2: (target, flags) => void check(libc.umount2(text(target), flags), 'umount2', target),
    dup: (fd) => check(libc.fcntl(fd, F_DUPFD_CLOEXEC, 3), 'dup', fd),
    dup2: (from, to) => void check(libc.dup2(from, to), 'dup2', from, 'to', to),
    fchdir: (fd) => void check(libc.fchdir(fd), 'fchdir', fd),
    chroot: (path) => void check(libc.chroot(text(path)), 'chroot', path),
    flock: (fd, operation) => void check(libc.flock(fd, operation), 'flock', fd),
    socket: (domain, type, protocol) => check(libc.socket(domain, type, protocol), 'socket', domain),
    socketpair(type) {
      const pair = new Int32Array(2)
      check(libc.socketpair(AF_UNIX, type, 0, new Uint8Array(pair.buffer)), 'socketpair')
      return [pair[0] ?? -1, pair[1] ?? -1]
    },
    sendDescriptors(fd, descriptors) {
      check(libc.sendmsg(fd, messageWith(libc, descriptors), 0), 'sendmsg', fd)
    },
    bind: (fd, address) => void check(libc.bind(fd, address, address.length), 'bind', fd),
    connect: (fd, address) => void check(libc.connect(fd, address, address.length), 'connect', fd),
    sendto(fd, data, flags, address) {
      const result = libc.sendto(fd, filled(data), data.length, flags, address ?? null, address?.length ?? 0)
      return check(result, 'sendto', fd)
    },
    recv(fd, buffer, flags, from) {
      if (from !== undefined) addressLength[0] = from.length
      const length = from === undefined ? null : addressLengthBytes
      return check(libc.recvfrom(fd, filled(buffer), buffer.length, flags, from ?? null, length), 'recv', fd)
    },
    setsockopt(fd, level, option, value) {
      check(libc.setsockopt(fd, level, option, value, value.length), 'setsockopt', level, option)
    },
    getsockopt(fd, level, option, size) {
      const value = new Uint8Array(size)
      const length = new Uint32Array([size])
      check(
        libc.getsockopt(fd, level, option, filled(value), new Uint8Array(length.buffer)),
        'getsockopt',
        level,
        option,
      )
      return value.subarray(0, length[0])
    },
    bpf(command, attr, pointers = []) {
      const { result, errno } = callBpf(libc, command, attr, pointers)
      if (result !== -1) return result
      throw new SysError('bpf', errnoName(errno), errno, String(command))
    },
    ioctl: (fd, request, argument) => check(libc.ioctl(fd, request, argument), 'ioctl', request),
    execve(path, args, env, blocked) {
      const [file, argv, envp] = [text(path), texts(libc, args), texts(libc, env)]
      const [signals, before] = [signalSet(blocked), signalSet(undefined)]
      const { sigprocmask, execve } = libc
      // Runs no other code between sigprocmask and execve, because other code could cause a deadlock.
      sigprocmask(SIG_BLOCK, signals, before)
      execve(file, argv, envp)
      const error = failed('execve', [path])
      sigprocmask(SIG_SETMASK, before, null)
      throw error
    },
  }
}

/** Encodes an array of C strings, such as argv, in one buffer. */
function texts(libc: Libc, values: readonly Uint8Array[]): Uint8Array {
  const nul = values.find((value) => value.includes(0))
  if (nul !== undefined) throw notText(Buffer.from(nul).toString())
  const addresses = 8 * (values.length + 1)
  const block = Buffer.alloc(values.reduce((size, value) => size + value.length + 1, addresses))
  const start = BigInt(libc.addressOf(block))
  let offset = addresses
  for (const [index, value] of values.entries()) {
    block.writeBigUInt64LE(start + BigInt(offset), 8 * index)
    block.set(value, offset)
    offset += value.length + 1
  }
  return block
}

/** Encodes arguments of sendmsg that send descriptors, in one buffer that keeps all structures alive. */
function messageWith(libc: Libc, descriptors: readonly number[]): Uint8Array {
  const [IOVEC, CONTROL] = [56, 72]
  const size = CMSGHDR + 4 * descriptors.length
  const byte = CONTROL + ((size + 7) & ~7)
  const block = Buffer.alloc(byte + 1)
  const start = BigInt(libc.addressOf(block))
  block.writeBigUInt64LE(start + BigInt(IOVEC), 16)
  block.writeBigUInt64LE(1n, 24)
  block.writeBigUInt64LE(start + BigInt(CONTROL), 32)
  block.writeBigUInt64LE(BigInt(size), 40)
  block.writeBigUInt64LE(start + BigInt(byte), IOVEC)
  block.writeBigUInt64LE(1n, IOVEC + 8)
  block.writeBigUInt64LE(BigInt(size), CONTROL)
  block.writeInt32LE(SOL_SOCKET, CONTROL + 8)
  block.writeInt32LE(SCM_RIGHTS, CONTROL + 12)
  for (const [index, fd] of descriptors.entries()) block.writeInt32LE(fd, CONTROL + CMSGHDR + 4 * index)
  return block
}

function signalSet(signal: number | undefined): Uint8Array {
  const set = new Uint8Array(SIGSET_BYTES)
  if (signal !== undefined) set[(signal - 1) >> 3] = 1 << ((signal - 1) & 7)
  return set
}

function text(value: string): Uint8Array
function text(value: string | null): Pointer
function text(value: string | null): Pointer {
  if (value === null) return null
  // Refuses a string argument with a NUL: C would stop at the NUL and use another file.
  if (value.includes('\0')) throw notText(value)
  return Buffer.from(`${value}\0`)
}

const notText = (value: string): TypeError => new TypeError(`Invalid C string: ${JSON.stringify(value)} contains a NUL`)

// Replaces an empty buffer argument by one byte, because an empty buffer has no address.
function filled(buffer: Uint8Array): Uint8Array {
  return buffer.length === 0 ? new Uint8Array(1) : buffer
}
