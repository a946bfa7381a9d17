import { bytesOf } from '../buffer/bytes-of.ts'
import { encodeText, encodingOf } from '../buffer/encodings.ts'
import { invalidType, outOfRange } from '../errors.ts'
import { host } from '../host.ts'
import { call, callAgain } from '../sys/numbers.ts'
import { check, fdOf, flagsOf, modeOf, type PathLike, pathOf } from './arguments.ts'
import { AT_FDCWD, O_CLOEXEC } from './constants.ts'

const EINTR = -4

export function openSync(path: PathLike, flags?: string | number, mode?: string | number): number {
  const text = pathOf(path)
  const result = callAgain('openat', AT_FDCWD, text, flagsOf(flags) | O_CLOEXEC, modeOf(mode, 0o666))
  return check(result, 'open', text)
}

export function closeSync(fd: number): void {
  const result = call('close', fdOf(fd))
  // Ignores EINTR of `close`, because the kernel closes the descriptor anyway.
  if (result !== EINTR) check(result, 'close')
}

interface Range {
  readonly offset?: number
  readonly length?: number
  readonly position?: number | bigint | null
}

type Position = number | bigint | null | undefined

/**
 * Overloads of Node's `readSync`: `readSync(fd, buffer, offset?, length?, position?)`, `readSync(fd, buffer,
 * options?)`.
 */
export function readSync(
  fd: number,
  buffer: ArrayBufferView,
  first?: number | Range | null,
  length?: number,
  position?: Position,
): number {
  const number = fdOf(fd)
  const part = partOf(buffer, first, length)
  if (part.length === 0) return 0
  const at = positionOf(first, position)
  const result =
    at === undefined ? call('read', number, part, part.length) : call('pread64', number, part, part.length, at)
  return check(result, 'read')
}

/**
 * Overloads of Node's `writeSync`: `writeSync(fd, buffer, offset?, length?, position?)`, `writeSync(fd, text,
 * position?, encoding?)`.
 */
export function writeSync(
  fd: number,
  data: string | ArrayBufferView,
  first?: number | Range | null,
  second?: number | string,
  position?: Position,
): number {
  const number = fdOf(fd)
  if (typeof data === 'string') {
    const bytes = typeof second === 'string' ? encodeText(data, encodingOf(second)) : host.encode(data)
    return writeBytes(number, bytes, typeof first === 'number' ? first : undefined)
  }
  if (!ArrayBuffer.isView(data)) {
    throw invalidType('buffer', 'of type string or an instance of Buffer, TypedArray, or DataView', data)
  }
  const part = partOf(data, first, typeof second === 'number' ? second : undefined)
  return writeBytes(number, part, positionOf(first, position))
}

function writeBytes(fd: number, bytes: Uint8Array, at: number | bigint | undefined): number {
  const { length } = bytes
  return check(at === undefined ? call('write', fd, bytes, length) : call('pwrite64', fd, bytes, length, at), 'write')
}

function partOf(buffer: ArrayBufferView, first: number | Range | null | undefined, given?: number): Uint8Array {
  if (!ArrayBuffer.isView(buffer)) {
    throw invalidType('buffer', 'an instance of Buffer, TypedArray, or DataView', buffer)
  }
  const range = typeof first === 'object' && first !== null ? first : { offset: first ?? 0, length: given }
  const bytes = bytesOf(buffer)
  const offset = range.offset ?? 0
  if (offset === 0 && range.length === undefined) return bytes
  if (!(offset >= 0 && offset <= bytes.length)) throw outOfRange('offset', `>= 0 && <= ${bytes.length}`, offset)
  const length = range.length ?? bytes.length - offset
  if (!(length >= 0 && length <= bytes.length - offset)) {
    throw outOfRange('length', `>= 0 && <= ${bytes.length - offset}`, length)
  }
  return bytes.subarray(offset, offset + length)
}

function positionOf(first: number | Range | null | undefined, given: Position): number | bigint | undefined {
  const position = typeof first === 'object' && first !== null ? first.position : given
  return position === null || position === undefined || position < 0 ? undefined : position
}

export function readvSync(fd: number, buffers: readonly ArrayBufferView[], position?: Position): number {
  let total = 0
  for (const buffer of buffers) {
    const at = position === null || position === undefined ? position : Number(position) + total
    const count = readSync(fd, buffer, null, undefined, at)
    total += count
    if (count < buffer.byteLength) break
  }
  return total
}

export function writevSync(fd: number, buffers: readonly ArrayBufferView[], position?: Position): number {
  let total = 0
  for (const buffer of buffers) {
    const at = position === null || position === undefined ? position : Number(position) + total
    total += writeSync(fd, buffer, null, undefined, at)
  }
  return total
}

export function fsyncSync(fd: number): void {
  check(callAgain('fsync', fdOf(fd)), 'fsync')
}

export function fdatasyncSync(fd: number): void {
  check(callAgain('fdatasync', fdOf(fd)), 'fdatasync')
}

export function ftruncateSync(fd: number, length = 0): void {
  check(callAgain('ftruncate', fdOf(fd), Math.max(0, length)), 'ftruncate')
}

export function fchmodSync(fd: number, mode: string | number): void {
  check(call('fchmod', fdOf(fd), modeOf(mode, 0)), 'fchmod')
}

export function fchownSync(fd: number, uid: number, gid: number): void {
  check(call('fchown', fdOf(fd), uid, gid), 'fchown')
}
