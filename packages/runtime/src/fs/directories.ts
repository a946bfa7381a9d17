import { bufferFrom } from '../buffer/buffer.ts'
import { host } from '../host.ts'
import { fileError } from '../sys/errno.ts'
import { call } from '../sys/numbers.ts'
import { check, modeOf, optionsOf, type PathLike, pathOf } from './arguments.ts'
import { AT_FDCWD, AT_REMOVEDIR, constants, O_CLOEXEC } from './constants.ts'
import { closeSync } from './descriptor.ts'
import { Dirent } from './dirent.ts'
import { lstatSync, statSync } from './stats.ts'

interface MakeOptions {
  readonly recursive?: boolean
  readonly mode?: string | number
}

const ENOENT = -2
const EEXIST = -17
const ENOTDIR = -20

/** Creates a directory (`mkdir`). With `recursive`, returns the path of the first directory that it created. */
export function mkdirSync(path: PathLike, given?: MakeOptions | string | number | null): string | undefined {
  const { recursive = false, mode } = typeof given === 'object' && given !== null ? given : { mode: given }
  const text = pathOf(path)
  const bits = modeOf(mode, 0o777)
  if (recursive) return makeAll(text, bits)
  check(call('mkdirat', AT_FDCWD, text, bits), 'mkdir', text)
  return undefined
}

function makeAll(path: string, mode: number): string | undefined {
  const result = call('mkdirat', AT_FDCWD, path, mode)
  if (result === 0) return path
  if (result === ENOENT) {
    const parent = path.replace(/\/+[^/]*\/*$/, '')
    if (parent === '' || parent === path) throw fileError(result, 'mkdir', path)
    const first = makeAll(parent, mode)
    const own = makeAll(path, mode)
    return first ?? own
  }
  if (result === EEXIST) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return undefined
    throw fileError(EEXIST, 'mkdir', path)
  }
  throw fileError(result === ENOTDIR ? ENOTDIR : result, 'mkdir', path)
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const TRIES = 100

export function mkdtempSync(prefix: PathLike): string {
  const start = pathOf(prefix, 'prefix')
  for (let tries = 1; ; tries++) {
    const letters = Array.from({ length: 6 }, () => LETTERS.charAt(Math.floor(Math.random() * LETTERS.length)))
    const path = start + letters.join('')
    const result = call('mkdirat', AT_FDCWD, path, 0o700)
    if (result === 0) return path
    if (result !== EEXIST || tries === TRIES) throw fileError(result, 'mkdtemp', `${start}XXXXXX`)
  }
}

export function rmdirSync(path: PathLike): void {
  const text = pathOf(path)
  check(call('unlinkat', AT_FDCWD, text, AT_REMOVEDIR), 'rmdir', text)
}

interface ReadOptions {
  readonly encoding?: string | null
  readonly withFileTypes?: boolean
  readonly recursive?: boolean
}

/** Names of the entries of a directory, in byte order as libuv sorts them. */
export function readdirSync(path: PathLike, given?: string | ReadOptions | null): (string | Uint8Array | Dirent)[] {
  const { encoding, withFileTypes = false, recursive = false } = optionsOf<ReadOptions>(given)
  const text = pathOf(path)
  const entries = list(text)
  const all = recursive ? entries.flatMap((entry) => [entry, ...below(entry)]) : entries
  if (withFileTypes) return all
  const names = all.map(({ parentPath, name }) =>
    parentPath === text ? name : `${parentPath.slice(text.length + (text.endsWith('/') ? 0 : 1))}/${name}`,
  )
  return encoding === 'buffer' ? names.map((name) => bufferFrom(name)) : names
}

function below(entry: Dirent): Dirent[] {
  if (!entry.isDirectory()) return []
  return list(`${entry.parentPath.replace(/\/$/, '')}/${entry.name}`).flatMap((one) => [one, ...below(one)])
}

/** Layout of the kernel's struct linux_dirent64: inode 8 bytes, offset 8, length 2, type 1, name. */
const NAME_AT = 19

export function list(path: string): Dirent[] {
  const flags = constants.O_DIRECTORY | O_CLOEXEC
  const fd = check(call('openat', AT_FDCWD, path, flags, 0), 'scandir', path)
  const entries: Dirent[] = []
  try {
    const buffer = new Uint8Array(32_768)
    const view = new DataView(buffer.buffer)
    for (;;) {
      const count = check(call('getdents64', fd, buffer, buffer.length), 'scandir', path)
      if (count === 0) break
      for (let at = 0; at < count; at += view.getUint16(at + 16, true)) {
        const end = buffer.indexOf(0, at + NAME_AT)
        const name = host.decode(buffer, at + NAME_AT, end)
        if (name !== '.' && name !== '..')
          entries.push(new Dirent(name, path, typeOf(buffer[at + 18] ?? 0, path, name)))
      }
    }
  } finally {
    closeSync(fd)
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Asks lstat for an entry's type if the file system does not report it. */
function typeOf(type: number, path: string, name: string): number {
  if (type !== 0) return type
  return (Number(lstatSync(`${path}/${name}`, { throwIfNoEntry: false })?.mode ?? 0) & constants.S_IFMT) >> 12
}
