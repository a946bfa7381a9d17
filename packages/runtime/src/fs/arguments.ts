import { findEncoding } from '../buffer/encodings.ts'
import { coded, invalidType, outOfRange } from '../errors.ts'
import { host } from '../host.ts'
import { fileError } from '../sys/errno.ts'
import { constants } from './constants.ts'

export type PathLike = string | Uint8Array | URL

const SHOWN = 200

/** Validates the path argument of a file function and returns it as text. */
export function pathOf(path: unknown, name = 'path'): string {
  const text = textOf(path)
  if (text === undefined) throw invalidType(name, 'of type string or an instance of Buffer or URL', path)
  if (!text.includes('\0')) return text
  const shown = JSON.stringify(text.slice(0, SHOWN)).slice(1, -1).replaceAll('\\u0000', '\\x00')
  const message = `The argument '${name}' must be a string, Uint8Array, or URL without null bytes. Received '${shown}'`
  throw coded(new TypeError(message), 'ERR_INVALID_ARG_VALUE')
}

function textOf(path: unknown): string | undefined {
  if (typeof path === 'string') return path
  if (path instanceof Uint8Array) return host.decode(path)
  if (typeof path !== 'object' || path === null || !('pathname' in path) || !('protocol' in path)) return undefined
  if (path.protocol !== 'file:') {
    throw coded(new TypeError('The URL must be of scheme file'), 'ERR_INVALID_URL_SCHEME')
  }
  return decodeURIComponent(String(path.pathname))
}

/** Throws Node's system error if the result of a system call is an error. */
export function check(result: number, syscall: string, path?: string, dest?: string): number {
  if (result < 0) throw fileError(result, syscall, path, dest)
  return result
}

const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR, O_SYNC, O_TRUNC, O_WRONLY } = constants

const flags: Readonly<Record<string, number>> = {
  r: O_RDONLY,
  rs: O_RDONLY | O_SYNC,
  'r+': O_RDWR,
  'rs+': O_RDWR | O_SYNC,
  w: O_TRUNC | O_CREAT | O_WRONLY,
  wx: O_TRUNC | O_CREAT | O_WRONLY | O_EXCL,
  'w+': O_TRUNC | O_CREAT | O_RDWR,
  'wx+': O_TRUNC | O_CREAT | O_RDWR | O_EXCL,
  a: O_APPEND | O_CREAT | O_WRONLY,
  ax: O_APPEND | O_CREAT | O_WRONLY | O_EXCL,
  as: O_APPEND | O_CREAT | O_WRONLY | O_SYNC,
  'a+': O_APPEND | O_CREAT | O_RDWR,
  'ax+': O_APPEND | O_CREAT | O_RDWR | O_EXCL,
}

export function flagsOf(given: unknown): number {
  if (given === undefined || given === null) return O_RDONLY
  if (typeof given === 'number') return given
  const known = typeof given === 'string' ? flags[given] : undefined
  if (known !== undefined) return known
  const message = `The argument 'flags' is invalid. Received ${typeof given === 'string' ? `'${given}'` : String(given)}`
  throw coded(new TypeError(message), 'ERR_INVALID_ARG_VALUE')
}

/** Converts the mode argument of a file function, a number or an octal string, to a number. */
export function modeOf(given: unknown, otherwise: number): number {
  if (given === undefined || given === null) return otherwise
  if (typeof given === 'number') return given
  if (typeof given === 'string' && /^[0-7]+$/.test(given)) return Number.parseInt(given, 8)
  const message = `The argument 'mode' must be a 32-bit unsigned integer or an octal string. Received '${String(given)}'`
  throw coded(new TypeError(message), 'ERR_INVALID_ARG_VALUE')
}

export function fdOf(fd: unknown): number {
  if (typeof fd !== 'number') throw invalidType('fd', 'of type number', fd)
  if (!Number.isInteger(fd)) throw outOfRange('fd', 'an integer', fd)
  if (fd < 0 || fd > 0x7fff_ffff) throw outOfRange('fd', '>= 0 && <= 2147483647', fd)
  return fd
}

/** Options of a file function. The caller gives an object, or only the name of an encoding. */
export function optionsOf<T extends object>(given: string | T | null | undefined): Partial<T> & { encoding?: string } {
  const options = typeof given === 'string' ? { encoding: given } : (given ?? {})
  const { encoding } = options as { encoding?: unknown }
  const isKnown = encoding === undefined || encoding === null || encoding === 'buffer'
  if (isKnown || (typeof encoding === 'string' && findEncoding(encoding) !== undefined)) return options as Partial<T>
  const message = `The argument 'encoding' is invalid encoding. Received '${String(encoding)}'`
  throw coded(new TypeError(message), 'ERR_INVALID_ARG_VALUE')
}
