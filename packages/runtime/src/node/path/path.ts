import { invalidType } from '../../errors.ts'
import { process } from '../../process/process.ts'

// Implements `node:path` for Linux, without `win32`.

export const sep = '/'
export const delimiter = ':'

interface ParsedPath {
  root: string
  dir: string
  base: string
  ext: string
  name: string
}

function check(path: unknown, name = 'path'): string {
  if (typeof path !== 'string') throw invalidType(name, 'of type string', path)
  return path
}

/** Resolves `.` and `..` in a path. Keeps `..` at the beginning of a relative path. */
function segments(path: string, isAbsolutePath: boolean): string[] {
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') kept.push(segment)
    else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop()
    else if (!isAbsolutePath) kept.push('..')
  }
  return kept
}

export function normalize(path: string): string {
  if (check(path) === '') return '.'
  const isRooted = path.startsWith('/')
  const text = segments(path, isRooted).join('/')
  const trailing = path.endsWith('/') && text !== '' ? '/' : ''
  if (isRooted) return `/${text}${trailing}`
  if (text === '') return path.endsWith('/') ? './' : '.'
  return text + trailing
}

export function join(...paths: string[]): string {
  const given = paths.map((path) => check(path)).filter((path) => path !== '')
  return given.length === 0 ? '.' : normalize(given.join('/'))
}

export function resolve(...paths: string[]): string {
  let resolved = ''
  for (const [index, path] of [...paths.entries()].reverse()) {
    if (check(path, `paths[${index}]`) === '') continue
    resolved = resolved === '' ? path : `${path}/${resolved}`
    if (path.startsWith('/')) return `/${segments(resolved, true).join('/')}`
  }
  return `/${segments(`${process.cwd()}/${resolved}`, true).join('/')}`
}

export const isAbsolute = (path: string): boolean => check(path).startsWith('/')

export function relative(from: string, to: string): string {
  const start = segments(resolve(check(from, 'from')), true)
  const end = segments(resolve(check(to, 'to')), true)
  let common = 0
  while (common < start.length && common < end.length && start[common] === end[common]) common++
  return [...start.slice(common).map(() => '..'), ...end.slice(common)].join('/')
}

export function dirname(path: string): string {
  const trimmed = withoutTrailing(check(path))
  const at = trimmed.lastIndexOf('/')
  if (at < 0) return '.'
  return at === 0 ? '/' : withoutTrailing(trimmed.slice(0, at))
}

const withoutTrailing = (path: string): string => {
  let end = path.length
  while (end > 1 && path[end - 1] === '/') end--
  return path.slice(0, end)
}

export function basename(path: string, suffix?: string): string {
  const trimmed = withoutTrailing(check(path))
  const base = trimmed === '/' ? '' : trimmed.slice(trimmed.lastIndexOf('/') + 1)
  if (suffix === undefined || !base.endsWith(check(suffix, 'suffix'))) return base
  if (base === suffix) return path === suffix ? '' : base
  return base.slice(0, base.length - suffix.length)
}

export function extname(path: string): string {
  const base = basename(path)
  const at = base.lastIndexOf('.')
  return at <= 0 || base === '..' ? '' : base.slice(at)
}

export function parse(path: string): ParsedPath {
  const root = check(path).startsWith('/') ? '/' : ''
  const base = basename(path)
  const ext = extname(path)
  const hasDir = withoutTrailing(path).includes('/')
  const dir = hasDir ? dirname(path) : ''
  return { root, dir: base === '' ? root : dir, base, ext, name: base.slice(0, base.length - ext.length) }
}

export function format({ root = '', dir = '', base, name = '', ext = '' }: Partial<ParsedPath>): string {
  const last = base ?? name + (ext === '' || ext.startsWith('.') ? ext : `.${ext}`)
  if (dir === '') return root + last
  return dir === root ? dir + last : `${dir}/${last}`
}

export const toNamespacedPath = (path: string): string => path

const members = {
  sep,
  delimiter,
  normalize,
  join,
  resolve,
  isAbsolute,
  relative,
  dirname,
  basename,
  extname,
  parse,
  format,
  toNamespacedPath,
}

export const posix = members

export default { ...members, posix }
