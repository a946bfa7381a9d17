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

/** By the words of a `struct statx`. */
export function fileStat(words: Uint32Array): FileStat<number> {
  const word = (place: number): number => words[place >> 2] ?? 0
  const long = (place: number): number => word(place + 4) * 2 ** 32 + word(place)
  const device = (major: number, minor: number): number =>
    (major & 0xfff) * 2 ** 8 + (minor & 0xff) + (minor >>> 8) * 2 ** 20
  // Before 1970 the seconds are negative.
  const time = (place: number): number =>
    ((word(place + 4) | 0) * 2 ** 32 + word(place)) * 1000 + word(place + 8) / 1_000_000
  const stat = new FileStat<number>()
  stat.dev = device(word(136), word(140))
  // Two bytes, and two more that are zero.
  stat.mode = word(28)
  stat.nlink = word(16)
  stat.uid = word(20)
  stat.gid = word(24)
  stat.rdev = device(word(128), word(132))
  stat.blksize = word(4)
  stat.ino = long(32)
  stat.size = long(40)
  stat.blocks = long(48)
  stat.atimeMs = time(64)
  stat.mtimeMs = time(112)
  stat.ctimeMs = time(96)
  stat.birthtimeMs = time(80)
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

const kindOf = ({ mode }: FileStat): number => (Number(mode) >> 12) & 0o17
