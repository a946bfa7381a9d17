/** Bytes of `struct statx`, which is the same everywhere. */
export const STATX_SIZE = 256

/** What the kernel says of a file, with the members of `Stats` of `node:fs`; or of `BigIntStats`. */
export class FileStat<N extends number | bigint = number | bigint> {
  declare dev: N
  declare mode: N
  declare nlink: N
  declare uid: N
  declare gid: N
  declare rdev: N
  declare blksize: N
  declare ino: N
  declare size: N
  declare blocks: N
  declare atimeMs: N
  declare mtimeMs: N
  declare ctimeMs: N
  declare birthtimeMs: N

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

  isFIFO(): boolean {
    return kindOf(this) === 0o1
  }

  isCharacterDevice(): boolean {
    return kindOf(this) === 0o2
  }

  isDirectory(): boolean {
    return kindOf(this) === 0o4
  }

  isBlockDevice(): boolean {
    return kindOf(this) === 0o6
  }

  isFile(): boolean {
    return kindOf(this) === 0o10
  }

  isSymbolicLink(): boolean {
    return kindOf(this) === 0o12
  }

  isSocket(): boolean {
    return kindOf(this) === 0o14
  }
}

/**
 * By the words of a `struct statx`. Each member is written out: with functions for words and pairs of them a plugin called
 * 45 for a file, of code that is never compiled.
 */
export function fileStat(words: Uint32Array): FileStat<number> {
  const stat = new FileStat<number>()
  stat.dev = device(words[34] ?? 0, words[35] ?? 0)
  // Two bytes, and two more that are zero.
  stat.mode = words[7] ?? 0
  stat.nlink = words[4] ?? 0
  stat.uid = words[5] ?? 0
  stat.gid = words[6] ?? 0
  stat.rdev = device(words[32] ?? 0, words[33] ?? 0)
  stat.blksize = words[1] ?? 0
  stat.ino = (words[9] ?? 0) * HIGH + (words[8] ?? 0)
  stat.size = (words[11] ?? 0) * HIGH + (words[10] ?? 0)
  stat.blocks = (words[13] ?? 0) * HIGH + (words[12] ?? 0)
  // Seconds, which are negative before 1970, and nanoseconds.
  stat.atimeMs = (((words[17] ?? 0) | 0) * HIGH + (words[16] ?? 0)) * 1000 + (words[18] ?? 0) / 1_000_000
  stat.mtimeMs = (((words[29] ?? 0) | 0) * HIGH + (words[28] ?? 0)) * 1000 + (words[30] ?? 0) / 1_000_000
  stat.ctimeMs = (((words[25] ?? 0) | 0) * HIGH + (words[24] ?? 0)) * 1000 + (words[26] ?? 0) / 1_000_000
  stat.birthtimeMs = (((words[21] ?? 0) | 0) * HIGH + (words[20] ?? 0)) * 1000 + (words[22] ?? 0) / 1_000_000
  return stat
}

/** What only bigints are exact enough for. */
export interface BigFileStat extends FileStat<bigint> {
  readonly atimeNs: bigint
  readonly mtimeNs: bigint
  readonly ctimeNs: bigint
  readonly birthtimeNs: bigint
}

/** The same in bigints. */
export function bigFileStat(words: Uint32Array): BigFileStat {
  const longs = new BigInt64Array(words.buffer)
  const long = (place: number): bigint => longs[place >> 3] ?? 0n
  const time = (place: number): bigint => long(place) * 1_000_000_000n + BigInt(words[(place + 8) >> 2] ?? 0)
  const [atimeNs, mtimeNs, ctimeNs, birthtimeNs] = [time(64), time(112), time(96), time(80)]
  const { dev, mode, nlink, uid, gid, rdev, blksize } = fileStat(words)
  return Object.assign(new FileStat<bigint>(), {
    dev: BigInt(dev),
    mode: BigInt(mode),
    nlink: BigInt(nlink),
    uid: BigInt(uid),
    gid: BigInt(gid),
    rdev: BigInt(rdev),
    blksize: BigInt(blksize),
    ino: BigInt.asUintN(64, long(32)),
    size: long(40),
    blocks: long(48),
    atimeMs: atimeNs / 1_000_000n,
    mtimeMs: mtimeNs / 1_000_000n,
    ctimeMs: ctimeNs / 1_000_000n,
    birthtimeMs: birthtimeNs / 1_000_000n,
    ...{ atimeNs, mtimeNs, ctimeNs, birthtimeNs },
  })
}

// internal

/** What the second word of a pair counts. */
const HIGH = 2 ** 32

const device = (major: number, minor: number): number =>
  (major & 0xfff) * 2 ** 8 + (minor & 0xff) + (minor >>> 8) * 2 ** 20

const kindOf = ({ mode }: FileStat): number => (Number(mode) >> 12) & 0o17
