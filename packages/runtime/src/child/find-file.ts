import { call } from '../sys/numbers.ts'

const AT_FDCWD = -100
const X_OK = 1
const DEFAULT_PATH = '/usr/local/bin:/bin:/usr/bin'

/** Paths at which a program may be found, in the order of PATH. */
export function candidates(name: string, path = DEFAULT_PATH): string[] {
  if (name.includes('/')) return [name]
  const files = path.split(':').map((folder) => `${folder === '' ? '.' : folder}/${name}`)
  return files.filter((file) => call('faccessat', AT_FDCWD, file, X_OK) !== ENOENT)
}

const ENOENT = -2
