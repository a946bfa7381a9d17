import { fileError } from '../sys/errno.ts'
import { call } from '../sys/numbers.ts'
import { fdOf, type PathLike, pathOf } from './arguments.ts'
import { AT_EMPTY_PATH, AT_FDCWD, AT_SYMLINK_NOFOLLOW, constants } from './constants.ts'

export interface StatOptions {
  readonly bigint?: boolean
  readonly throwIfNoEntry?: boolean
}

const STATX_BASIC_AND_BIRTH = 0xfff
const ENOENT = -2

/** Positions of members in the kernel's struct statx, as indexes of 4-byte words. */
const at = { blksize: 1, nlink: 4, uid: 5, gid: 6, mode: 7, ino: 8, size: 10, blocks: 12, rdev: 32, dev: 34 }
const times = { atime: 16, birthtime: 20, ctime: 24, mtime: 28 }

const wide = (words: Uint32Array, index: number): number => (words[index] ?? 0) + (words[index + 1] ?? 0) * 2 ** 32
function device(words: Uint32Array, index: number): number {
  const major = words[index] ?? 0
  const minor = words[index + 1] ?? 0
  return (minor & 0xff) + (major & 0xfff) * 0x100 + (minor & ~0xff) * 0x1000
}
const seconds = (words: Uint32Array, index: number): number =>
  wide(words, index) - (isBefore1970(words, index) ? 2 ** 64 : 0)
const isBefore1970 = (words: Uint32Array, index: number): boolean => (words[index + 1] ?? 0) >= 2 ** 31
const millis = (words: Uint32Array, index: number): number =>
  seconds(words, index) * 1000 + (words[index + 2] ?? 0) / 1e6

class StatsBase<N extends number | bigint> {
  readonly dev: N
  readonly mode: N
  readonly nlink: N
  readonly uid: N
  readonly gid: N
  readonly rdev: N
  readonly blksize: N
  readonly ino: N
  readonly size: N
  readonly blocks: N
  readonly atimeMs: N
  readonly mtimeMs: N
  readonly ctimeMs: N
  readonly birthtimeMs: N

  constructor(words: Uint32Array, number: (value: number) => N, exact: (words: Uint32Array, index: number) => N) {
    this.dev = number(device(words, at.dev))
    this.mode = number((words[at.mode] ?? 0) & 0xffff)
    this.nlink = number(words[at.nlink] ?? 0)
    this.uid = number(words[at.uid] ?? 0)
    this.gid = number(words[at.gid] ?? 0)
    this.rdev = number(device(words, at.rdev))
    this.blksize = number(words[at.blksize] ?? 0)
    this.ino = exact(words, at.ino)
    this.size = exact(words, at.size)
    this.blocks = exact(words, at.blocks)
    this.atimeMs = number(millis(words, times.atime))
    this.mtimeMs = number(millis(words, times.mtime))
    this.ctimeMs = number(millis(words, times.ctime))
    this.birthtimeMs = number(millis(words, times.birthtime))
  }

  get atime(): Date {
    return new Date(Number(this.atimeMs))
  }

  get mtime(): Date {
    return new Date(Number(this.mtimeMs))
  }

  get ctime(): Date {
    return new Date(Number(this.ctimeMs))
  }

  get birthtime(): Date {
    return new Date(Number(this.birthtimeMs))
  }

  isFile(): boolean {
    return this.#is(constants.S_IFREG)
  }

  isDirectory(): boolean {
    return this.#is(constants.S_IFDIR)
  }

  isSymbolicLink(): boolean {
    return this.#is(constants.S_IFLNK)
  }

  isFIFO(): boolean {
    return this.#is(constants.S_IFIFO)
  }

  isSocket(): boolean {
    return this.#is(constants.S_IFSOCK)
  }

  isCharacterDevice(): boolean {
    return this.#is(constants.S_IFCHR)
  }

  isBlockDevice(): boolean {
    return this.#is(constants.S_IFBLK)
  }

  #is(type: number): boolean {
    return (Number(this.mode) & constants.S_IFMT) === type
  }
}

/** Class of the result of `fs.stat`. */
export class Stats extends StatsBase<number> {
  constructor(words: Uint32Array) {
    super(words, (value) => value, wide)
  }
}

const exactBig = (words: Uint32Array, index: number): bigint =>
  BigInt(words[index] ?? 0) | (BigInt(words[index + 1] ?? 0) << 32n)
const nanos = (words: Uint32Array, index: number): bigint =>
  BigInt(seconds(words, index)) * 1_000_000_000n + BigInt(words[index + 2] ?? 0)

export class BigIntStats extends StatsBase<bigint> {
  readonly atimeNs: bigint
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
  readonly birthtimeNs: bigint

  constructor(words: Uint32Array) {
    super(words, (value) => BigInt(Math.floor(value)), exactBig)
    this.atimeNs = nanos(words, times.atime)
    this.mtimeNs = nanos(words, times.mtime)
    this.ctimeNs = nanos(words, times.ctime)
    this.birthtimeNs = nanos(words, times.birthtime)
  }
}

interface StatxCall {
  readonly fd: number
  readonly path: string
  readonly flags: number
  readonly name: string
}

function statx({ fd, path, flags, name }: StatxCall, { bigint, throwIfNoEntry }: StatOptions = {}) {
  const words = new Uint32Array(64)
  const result = call('statx', fd, path, flags, STATX_BASIC_AND_BIRTH, words)
  if (result >= 0) return bigint === true ? new BigIntStats(words) : new Stats(words)
  if (throwIfNoEntry === false && result === ENOENT) return undefined
  throw fileError(result, name, path === '' ? undefined : path)
}

export function statSync(path: PathLike, options?: StatOptions): Stats | BigIntStats | undefined {
  return statx({ fd: AT_FDCWD, path: pathOf(path), flags: 0, name: 'stat' }, options)
}

export function lstatSync(path: PathLike, options?: StatOptions): Stats | BigIntStats | undefined {
  return statx({ fd: AT_FDCWD, path: pathOf(path), flags: AT_SYMLINK_NOFOLLOW, name: 'lstat' }, options)
}

export function fstatSync(fd: number, options?: StatOptions): Stats | BigIntStats | undefined {
  return statx({ fd: fdOf(fd), path: '', flags: AT_EMPTY_PATH, name: 'fstat' }, options)
}
