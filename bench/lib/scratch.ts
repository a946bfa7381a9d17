import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { root } from './compiled.ts'

let folder: string | undefined
let files = 0

/**
 * Path of a new temporary file, on the same disk as the compiled executables. The file is in a folder that is removed
 * when this process exits. The folder is inside this repository, because compiled code must find the packages in
 * `node_modules`.
 */
export function scratchFile(ending = ''): string {
  folder ??= newFolder()
  return join(folder, `${++files}${ending}`)
}

/**
 * Copies an executable before it is timed. A newly written file starts faster than a file from disk, because the page
 * cache holds it in larger pieces. With copies, all executables are newly written, as after their installation on a
 * node.
 */
export function freshCopy(file: string): string {
  // Keeps the name of the executable in the copy, because a plugin may depend on the name of its file.
  const copy = join(scratchFile(), basename(file))
  mkdirSync(dirname(copy))
  copyFileSync(file, copy)
  return copy
}

function newFolder(): string {
  mkdirSync(join(root, 'dist/bench'), { recursive: true })
  const made = mkdtempSync(join(root, 'dist/bench/scratch-'))
  process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  // Exits on Ctrl-C or SIGTERM, because the cleanup runs in the process's event `exit`.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  return made
}
