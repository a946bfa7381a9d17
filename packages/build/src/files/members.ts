import { bigFileStat, type FileStat, fileStat, STATX_SIZE } from './file-stat.ts'
import { type Kernel, TEXT_SIZE } from './kernel.ts'

/** What is left to `node:fs`: arguments that are not the usual ones, and what has failed. */
export const LEFT = Symbol('left to node:fs')

/** A function of `node:fs` with at most three arguments, or {@link LEFT} where it has done nothing. */
export type Quick = (...args: readonly unknown[]) => unknown

/** Functions of `node:fs` by system calls. */
export function quickMembers(kernel: Kernel): Readonly<Record<string, Quick>> {
  const { call, errno } = kernel
  const statx = new Uint32Array(STATX_SIZE / 4)
  /** An untouched page takes no memory. */
  const scratch = new Uint8Array(65_536)
  const done = (result: number): typeof LEFT | undefined => (result === 0 ? undefined : LEFT)

  function look(fd: number, path: string, flags: number, isBig = false): FileStat | typeof LEFT {
    if (call('statx', fd, path, flags, STATX_BASIC_STATS | STATX_BTIME, statx) !== 0) return LEFT
    return isBig ? bigFileStat(statx) : fileStat(statx)
  }

  function stat(path: unknown, options: unknown, flags: number): FileStat | typeof LEFT | undefined {
    const { bigint = false, throwIfNoEntry = true, ...others } = isObject(options) ? options : {}
    if (!isPath(path) || typeof bigint !== 'boolean' || Object.keys(others).length > 0) return LEFT
    const found = look(AT_FDCWD, path, flags, bigint)
    return found === LEFT && throwIfNoEntry === false && errno() === ENOENT ? undefined : found
  }

  function open(path: string, flags: number, mode: number): number | typeof LEFT {
    // As bun opens all files.
    const fd = call('openat', AT_FDCWD, path, flags | O_CLOEXEC, mode)
    if (fd >= 0) return fd
    if (errno() === ENOENT) throw fileError(ENOENT, 'open', path)
    return LEFT
  }

  function link(path: string): string | typeof LEFT {
    const length = call('readlinkat', AT_FDCWD, path, scratch, PATH_MAX)
    return length < 0 || length === PATH_MAX ? LEFT : utf8(scratch.subarray(0, length))
  }

  /** To its end, up to the next call. What is no file may have none. */
  function content(fd: number): Uint8Array | typeof LEFT {
    const found = look(fd, '', AT_EMPTY_PATH)
    if (found === LEFT || !found.isFile()) return LEFT
    let bytes = scratch
    for (let end = 0; ; ) {
      if (end === bytes.length) bytes = longer(bytes)
      const length = call('read', fd, bytes.subarray(end), bytes.length - end)
      if (length > 0) end += length
      else if (length === 0) return bytes.subarray(0, end)
      else if (errno() !== EINTR) return end === 0 ? LEFT : fail(fileError(EIO, 'read'))
    }
  }

  function contentOf(path: string): Uint8Array | typeof LEFT {
    const fd = open(path, 0, 0)
    if (fd === LEFT) return LEFT
    try {
      return content(fd)
    } finally {
      call('close', fd)
    }
  }

  return {
    // As bun has it: null, and no `undefined`.
    accessSync: (path, mode = 0) =>
      isPath(path) && isNumber(mode) && call('faccessat', AT_FDCWD, path, mode) === 0 ? null : LEFT,
    closeSync(fd) {
      if (!isNumber(fd)) return LEFT
      // Interrupted, it is closed nevertheless, and the number may be another's by now.
      return call('close', fd) === 0 || errno() === EINTR ? undefined : LEFT
    },
    existsSync: (path) => (isPath(path) ? call('faccessat', AT_FDCWD, path, 0) === 0 : LEFT),
    fchmodSync: (fd, mode) => (isNumber(fd) && isNumber(mode) ? done(call('fchmod', fd, mode)) : LEFT),
    fstatSync(fd, options) {
      const isBig = isObject(options) && options.bigint === true
      return isNumber(fd) && (isBig || options === undefined) ? look(fd, '', AT_EMPTY_PATH, isBig) : LEFT
    },
    fsyncSync: (fd) => (isNumber(fd) ? done(call('fsync', fd)) : LEFT),
    lstatSync: (path, options) => stat(path, options, AT_SYMLINK_NOFOLLOW),
    mkdirSync(path, options) {
      if (!isPath(path) || !isObject(options) || options.recursive !== true) return LEFT
      const found = look(AT_FDCWD, path, 0)
      // It is there: the usual case.
      return found !== LEFT && found.isDirectory() ? undefined : LEFT
    },
    openSync: (path, flags, mode = 0o666) =>
      isPath(path) && isNumber(flags) && isNumber(mode) ? open(path, flags, mode) : LEFT,
    readFileSync(file, encoding) {
      if (encoding !== undefined && encoding !== 'utf8' && encoding !== 'latin1') return LEFT
      const bytes = isNumber(file) ? content(file) : isPath(file) ? contentOf(file) : LEFT
      if (bytes === LEFT) return LEFT
      return encoding === 'utf8' ? utf8(bytes) : asBuffer(bytes, encoding)
    },
    readlinkSync: (path, options) => (isPath(path) && options === undefined ? link(path) : LEFT),
    readSync(fd, bytes, offset) {
      if (!isNumber(fd) || !isBytes(bytes) || offset !== undefined) return LEFT
      const length = call('read', fd, bytes, bytes.byteLength)
      if (length >= 0) return length
      return errno() === EAGAIN ? fail(fileError(EAGAIN, 'read')) : LEFT
    },
    realpathSync(path, options) {
      if (!isPath(path) || options !== undefined) return LEFT
      const fd = call('openat', AT_FDCWD, path, O_PATH | O_CLOEXEC, 0)
      if (fd < 0) return LEFT
      const found = link(`/proc/self/fd/${fd}`)
      call('close', fd)
      return found
    },
    renameSync: (from, to) =>
      isPath(from) && isPath(to) ? done(call('renameat', AT_FDCWD, from, AT_FDCWD, to)) : LEFT,
    statfsSync(path, options) {
      if (!isPath(path) || options !== undefined) return LEFT
      const words = new Uint32Array(STATFS_SIZE / 4)
      if (call('statfs', path, words) !== 0) return LEFT
      const long = (index: number): number => (words[2 * index + 1] ?? 0) * 2 ** 32 + (words[2 * index] ?? 0)
      const [type, bsize, frsize] = [long(0), long(1), long(9)]
      return { type, bsize, frsize, blocks: long(2), bfree: long(3), bavail: long(4), files: long(5), ffree: long(6) }
    },
    statSync: (path, options) => stat(path, options, 0),
    unlinkSync: (path) => (isPath(path) ? done(call('unlinkat', AT_FDCWD, path, 0)) : LEFT),
    writeSync(fd, bytes, offset = 0) {
      if (!isNumber(fd) || !isBytes(bytes) || !isNumber(offset)) return LEFT
      if (offset < 0 || offset >= bytes.byteLength) return LEFT
      const rest = offset === 0 ? bytes : bytes.subarray(offset)
      const length = call('write', fd, rest, rest.byteLength)
      return length >= 0 ? length : LEFT
    },
  }
}

// internal

const ENOENT = 2
const EINTR = 4
const EIO = 5
const EAGAIN = 11
const AT_FDCWD = -100
const AT_SYMLINK_NOFOLLOW = 0x100
const AT_EMPTY_PATH = 0x1000
const STATX_BASIC_STATS = 0x7ff
const STATX_BTIME = 0x800
// The same on x64 and arm64, other than O_DIRECTORY.
const O_CLOEXEC = 0o2000000
const O_PATH = 0o10000000
const PATH_MAX = 4096
const STATFS_SIZE = 120

const TEXTS: Readonly<Record<number, readonly [code: string, text: string]>> = {
  [ENOENT]: ['ENOENT', 'no such file or directory'],
  [EIO]: ['EIO', 'i/o error'],
  [EAGAIN]: ['EAGAIN', 'resource temporarily unavailable'],
}

/** As `node:fs` makes it. */
function fileError(errno: number, syscall: string, path?: string): Error {
  const [code, text] = TEXTS[errno] ?? []
  const message = `${code}: ${text}, ${syscall}${path === undefined ? '' : ` '${path}'`}`
  return Object.assign(new Error(message), { code, ...(path === undefined ? {} : { path }), syscall, errno: -errno })
}

function fail(error: Error): never {
  throw error
}

/** With its mark at the beginning, as `node:fs` has it. */
const utf8 = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)

/** Functions of their own, because they name `Buffer`. */
function asBuffer(bytes: Uint8Array, encoding: 'latin1' | undefined): Buffer | string {
  const buffer = Buffer.from(bytes)
  return encoding === undefined ? buffer : buffer.toString(encoding)
}

function longer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(2 * bytes.length)
  copy.set(bytes)
  return copy
}

const isNumber = (value: unknown): value is number => Number.isInteger(value)
const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const isPath = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length < TEXT_SIZE / 4 && !value.includes('\0')
const isBytes = (value: unknown): value is Uint8Array => value instanceof Uint8Array && value.byteLength > 0
