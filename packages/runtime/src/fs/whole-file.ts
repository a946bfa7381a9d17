import { type Buffer, wrap } from '../buffer/buffer.ts'
import { bytesOf } from '../buffer/bytes-of.ts'
import { decodeBytes, encodeText, encodingOf } from '../buffer/encodings.ts'
import { host } from '../host.ts'
import { callAgain } from '../sys/numbers.ts'
import { check, optionsOf, type PathLike, pathOf } from './arguments.ts'
import { closeSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from './descriptor.ts'
import { fstatSync } from './stats.ts'

interface ReadOptions {
  readonly encoding?: string | null
  readonly flag?: string | number
}

interface WriteOptions extends ReadOptions {
  readonly mode?: string | number
  readonly flush?: boolean
}

const FIRST = 16_384
const S_IFDIR_ERROR = -21

/** Reads a whole file, or an open descriptor from its current position to the end. */
export function readFileSync(file: PathLike | number, given?: string | ReadOptions | null): string | Buffer {
  const { encoding, flag } = optionsOf<ReadOptions>(given)
  const fd = typeof file === 'number' ? file : openSync(file, flag ?? 'r')
  try {
    const bytes = readToEnd(fd)
    if (encoding === undefined || encoding === null || encoding === 'buffer') return wrap(bytes.slice())
    const name = encodingOf(encoding)
    return name === 'utf8' ? host.decode(bytes) : decodeBytes(bytes, name)
  } finally {
    if (fd !== file) closeSync(fd)
  }
}

/** Reads to the end of the file, because stat reports size 0 below /proc. */
function readToEnd(fd: number): Uint8Array {
  const stat = fstatSync(fd)
  if (stat?.isDirectory()) check(S_IFDIR_ERROR, 'read')
  let buffer = new Uint8Array(Math.max(FIRST, Number(stat?.size ?? 0) + 1))
  let length = 0
  for (;;) {
    if (length === buffer.length) {
      const larger = new Uint8Array(2 * buffer.length)
      larger.set(buffer)
      buffer = larger
    }
    const part = buffer.subarray(length)
    const count = check(callAgain('read', fd, part, part.length), 'read')
    if (count === 0) return buffer.subarray(0, length)
    length += count
  }
}

export function writeFileSync(
  file: PathLike | number,
  data: string | ArrayBufferView,
  given?: string | WriteOptions | null,
): void {
  const { encoding, flag, mode, flush } = optionsOf<WriteOptions>(given)
  const bytes = typeof data === 'string' ? encodeText(data, encodingOf(encoding)) : bytesOf(data)
  const fd = typeof file === 'number' ? file : openSync(file, flag ?? 'w', mode)
  try {
    for (let rest = bytes; rest.length > 0; ) rest = rest.subarray(writeSync(fd, rest))
    if (flush === true) fsyncSync(fd)
  } finally {
    if (fd !== file) closeSync(fd)
  }
}

export function appendFileSync(
  file: PathLike | number,
  data: string | ArrayBufferView,
  given?: string | WriteOptions | null,
): void {
  writeFileSync(file, data, { flag: 'a', ...optionsOf<WriteOptions>(given) })
}

export function truncateSync(path: PathLike, length = 0): void {
  const fd = openSync(path, 'r+')
  try {
    ftruncateSync(fd, length)
  } finally {
    closeSync(fd)
  }
}

const COPYFILE_EXCL = 1

export function copyFileSync(source: PathLike, target: PathLike, mode = 0): void {
  const paths = [pathOf(source, 'src'), pathOf(target, 'dest')] as const
  const from = withSyscallName('copyfile', paths, () => openSync(source))
  try {
    const permissions = Number(fstatSync(from)?.mode ?? 0o666) & 0o777
    const flag = (mode & COPYFILE_EXCL) === 0 ? 'w' : 'wx'
    const to = withSyscallName('copyfile', paths, () => openSync(target, flag, permissions))
    try {
      const buffer = new Uint8Array(65_536)
      for (let count = readSync(from, buffer); count > 0; count = readSync(from, buffer)) {
        for (let rest = buffer.subarray(0, count); rest.length > 0; ) rest = rest.subarray(writeSync(to, rest))
      }
    } finally {
      closeSync(to)
    }
  } finally {
    closeSync(from)
  }
}

/** Calls a step of a file function, and names both paths in its errors. */
function withSyscallName<T>(syscall: string, [path, dest]: readonly [string, string], action: () => T): T {
  try {
    return action()
  } catch (error) {
    if (error instanceof Error && 'errno' in error) check(Number(error.errno), syscall, path, dest)
    throw error
  }
}
