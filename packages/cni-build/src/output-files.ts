import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { BuildError } from './errors.ts'

/** The longest name of a file, less what `.cjs` and the name of a temporary file take. */
const NAME_MAX = 255 - 20

/**
 * Refuse what would be lost by writing there, before anything is done: a folder, a device (root could replace
 * `/dev/null`), the source itself.
 *
 * @throws BuildError `USAGE`
 */
export function checkOutputs(entry: string, outputs: Readonly<Record<string, string | undefined>>): void {
  const seen = new Map([[real(entry), 'the entry']])
  for (const [what, path] of Object.entries(outputs)) {
    if (path === undefined) continue
    if (Buffer.byteLength(basename(path)) > NAME_MAX) {
      throw new BuildError('USAGE', `${what} ${path}: the name is longer than ${NAME_MAX} bytes`)
    }
    const there = statSync(path, { throwIfNoEntry: false })
    if (there?.isDirectory() || /(^|\/)\.{0,2}$/.test(path)) {
      throw new BuildError(
        'USAGE',
        `${what} ${path}: a folder; name the file in it, for example ${join(path, 'my-plugin')}`,
      )
    }
    if (there && !there.isFile()) throw new BuildError('USAGE', `${what} ${path}: there is something that is no file`)
    const other = seen.get(real(path))
    if (other !== undefined) throw new BuildError('USAGE', `${what} ${path}: that is ${other}; give it another name`)
    seen.set(real(path), what)
  }
}

/**
 * Work in a temporary folder beside `file`, on its file system, so that the result appears under its name at once and
 * whole. The folder is gone afterwards, whatever happens.
 *
 * @throws BuildError `WRITE` when the folder of `file` takes no files.
 */
export async function inFolderBeside<T>(file: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = writing(file, () => {
    mkdirSync(dirname(file), { recursive: true })
    return mkdtempSync(join(dirname(file), '.build-'))
  })
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Run `write`; what the file system refuses is an error that names `file`. */
export function writing<T>(file: string, write: () => T): T {
  try {
    return write()
  } catch (cause) {
    throw new BuildError('WRITE', `cannot write ${file}: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}

/** The same file under one name, also where it is not there yet. */
function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // Not there: its own name is all it has.
    return resolve(path)
  }
}
