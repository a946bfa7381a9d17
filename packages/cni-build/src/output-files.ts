import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { BuildError } from './errors.ts'

/** Maximum length of a file name, which leaves space for suffixes of temporary files. */
const NAME_MAX = 255 - 20

/**
 * Rejects an output that would overwrite a folder, the source, or a device such as `/dev/null`.
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
    if (there && !there.isFile()) throw new BuildError('USAGE', `${what} ${path}: it exists and is not a regular file`)
    const other = seen.get(real(path))
    if (other !== undefined) throw new BuildError('USAGE', `${what} ${path}: that is ${other}; give it another name`)
    seen.set(real(path), what)
  }
}

/**
 * Runs `work` with a temporary folder beside `file`. A rename is atomic only within a file system.
 *
 * @throws BuildError `WRITE` if the folder of `file` is not writable
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

/** Calls `write`, which writes `file`. Turns an error of the file system into a `BuildError` that names `file`. */
export function writing<T>(file: string, write: () => T): T {
  try {
    return write()
  } catch (cause) {
    throw new BuildError('WRITE', `cannot write ${file}: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}

/** Path of a file with symbolic links resolved. For a missing file, the absolute path. */
function real(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // realpath(3) fails for a missing file: returns the absolute path, in which links may remain.
    return resolve(path)
  }
}
