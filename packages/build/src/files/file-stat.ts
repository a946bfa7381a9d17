/** Bytes of `struct statx`, which is the same everywhere. */
export const STATX_SIZE = 256

/** What the kernel says of a file, with the members of `Stats` of `node:fs`; or of `BigIntStats`. */
export class FileStat<N extends number | bigint = number | bigint> {
  declare readonly dev: N
  declare readonly mode: N
  declare readonly nlink: N
  declare readonly uid: N
  declare readonly gid: N
  declare readonly rdev: N
  declare readonly blksize: N
  declare readonly ino: N
  declare readonly size: N
  declare readonly blocks: N
  declare readonly atimeMs: N
  declare readonly mtimeMs: N
  declare readonly ctimeMs: N
  declare readonly birthtimeMs: N

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

/** By the words of a `struct statx`. */
export function fileStat(words: Uint32Array): FileStat<number> {
  const word = (place: number): number => words[place >> 2] ?? 0
  const long = (place: number): number => word(place + 4) * 2 ** 32 + word(place)
  const device = (major: number, minor: number): number =>
    (major & 0xfff) * 2 ** 8 + (minor & 0xff) + (minor >>> 8) * 2 ** 20
  // Before 1970 the seconds are negative.
  const time = (place: number): number =>
    ((word(place + 4) | 0) * 2 ** 32 + word(place)) * 1000 + word(place + 8) / 1_000_000
  return Object.assign(new FileStat<number>(), {
    dev: device(word(136), word(140)),
    // Two bytes, and two more that are zero.
    mode: word(28),
    nlink: word(16),
    uid: word(20),
    gid: word(24),
    rdev: device(word(128), word(132)),
    blksize: word(4),
    ino: long(32),
    size: long(40),
    blocks: long(48),
    atimeMs: time(64),
    mtimeMs: time(112),
    ctimeMs: time(96),
    birthtimeMs: time(80),
  })
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

const kindOf = ({ mode }: FileStat): number => (Number(mode) >> 12) & 0o17
