import { type Buffer, bufferFrom } from '../buffer/buffer.ts'
import { host } from '../host.ts'
import { fileError } from '../sys/errno.ts'
import { call } from '../sys/numbers.ts'
import { check, modeOf, type PathLike, pathOf } from './arguments.ts'
import { AT_FDCWD, AT_SYMLINK_NOFOLLOW } from './constants.ts'

const PATH_MAX = 4096
const ELOOP = -40
const MAX_LINKS = 40

export function renameSync(from: PathLike, to: PathLike): void {
  const [path, dest] = [pathOf(from, 'oldPath'), pathOf(to, 'newPath')]
  check(call('renameat2', AT_FDCWD, path, AT_FDCWD, dest, 0), 'rename', path, dest)
}

export function linkSync(from: PathLike, to: PathLike): void {
  const [path, dest] = [pathOf(from, 'existingPath'), pathOf(to, 'newPath')]
  check(call('linkat', AT_FDCWD, path, AT_FDCWD, dest, 0), 'link', path, dest)
}

export function symlinkSync(target: PathLike, path: PathLike): void {
  const [text, link] = [pathOf(target, 'target'), pathOf(path)]
  check(call('symlinkat', text, AT_FDCWD, link), 'symlink', text, link)
}

export function readlinkSync(
  path: PathLike,
  options?: string | { readonly encoding?: string } | null,
): string | Buffer {
  const target = readLink(pathOf(path))
  const encoding = typeof options === 'string' ? options : options?.encoding
  return encoding === 'buffer' ? bufferFrom(target) : target
}

function readLink(path: string): string {
  const buffer = new Uint8Array(PATH_MAX)
  return host.decode(buffer, 0, check(call('readlinkat', AT_FDCWD, path, buffer, PATH_MAX), 'readlink', path))
}

export function unlinkSync(path: PathLike): void {
  const text = pathOf(path)
  check(call('unlinkat', AT_FDCWD, text, 0), 'unlink', text)
}

export function accessSync(path: PathLike, mode = 0): void {
  const text = pathOf(path)
  check(call('faccessat', AT_FDCWD, text, mode), 'access', text)
}

export function existsSync(path: unknown): boolean {
  try {
    return call('faccessat', AT_FDCWD, pathOf(path), 0) === 0
  } catch {
    // Node's `existsSync` returns false for an invalid path and throws no error.
    return false
  }
}

export function chmodSync(path: PathLike, mode: string | number): void {
  const text = pathOf(path)
  check(call('fchmodat', AT_FDCWD, text, modeOf(mode, 0)), 'chmod', text)
}

export function chownSync(path: PathLike, uid: number, gid: number): void {
  const text = pathOf(path)
  check(call('fchownat', AT_FDCWD, text, uid, gid, 0), 'chown', text)
}

export function lchownSync(path: PathLike, uid: number, gid: number): void {
  const text = pathOf(path)
  check(call('fchownat', AT_FDCWD, text, uid, gid, AT_SYMLINK_NOFOLLOW), 'lchown', text)
}

type Time = number | string | Date

const timespec = (time: Time): [bigint, bigint] => {
  const seconds = time instanceof Date ? time.getTime() / 1000 : Number(time)
  const whole = Math.floor(seconds)
  return [BigInt(whole), BigInt(Math.floor((seconds - whole) * 1e6)) * 1000n]
}

const timesOf = (atime: Time, mtime: Time): BigInt64Array => new BigInt64Array([...timespec(atime), ...timespec(mtime)])

export function utimesSync(path: PathLike, atime: Time, mtime: Time): void {
  const text = pathOf(path)
  check(call('utimensat', AT_FDCWD, text, timesOf(atime, mtime), 0), 'utime', text)
}

export function lutimesSync(path: PathLike, atime: Time, mtime: Time): void {
  const text = pathOf(path)
  check(call('utimensat', AT_FDCWD, text, timesOf(atime, mtime), AT_SYMLINK_NOFOLLOW), 'lutime', text)
}

export function futimesSync(fd: number, atime: Time, mtime: Time): void {
  check(call('utimensat', fd, null, timesOf(atime, mtime), 0), 'futime')
}

/** Resolves the symbolic links of a path one by one, for systems without /proc. */
function realpath(path: PathLike): string {
  const given = pathOf(path)
  let rest = given.startsWith('/') ? given.split('/') : `${currentDirectory()}/${given}`.split('/')
  let real = ''
  let links = 0
  while (rest.length > 0) {
    const [name, ...others] = rest
    rest = others
    if (name === '' || name === '.' || name === undefined) continue
    if (name === '..') {
      real = real.slice(0, Math.max(0, real.lastIndexOf('/')))
      continue
    }
    const target = linkTarget(`${real}/${name}`, given)
    if (target === undefined) real = `${real}/${name}`
    else {
      if (++links > MAX_LINKS) throw fileError(ELOOP, 'realpath', given)
      if (target.startsWith('/')) real = ''
      rest = [...target.split('/'), ...rest]
    }
  }
  return real || '/'
}

const EINVAL = -22

function linkTarget(path: string, given: string): string | undefined {
  const buffer = new Uint8Array(PATH_MAX)
  const length = call('readlinkat', AT_FDCWD, path, buffer, PATH_MAX)
  if (length >= 0) return host.decode(buffer, 0, length)
  // EINVAL means that the path is not a symbolic link, so there is no target to return.
  if (length === EINVAL) return undefined
  throw fileError(length, 'realpath', given)
}

function currentDirectory(): string {
  const buffer = new Uint8Array(PATH_MAX)
  return host.decode(buffer, 0, check(call('getcwd', buffer, PATH_MAX), 'getcwd') - 1)
}

export const realpathSync = /* @__PURE__ */ Object.assign((path: PathLike): string => realpath(path), {
  native: (path: PathLike): string => realpath(path),
})
