import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { root } from './compiled.ts'

let folder: string | undefined
let files = 0

/**
 * A new file for this process only, removed with it, on the disk that executables lie on. Beside our own node_modules, for
 * what is compiled there to find the packages.
 */
export function scratchFile(ending = ''): string {
  folder ??= newFolder()
  return join(folder, `${++files}${ending}`)
}

/**
 * A copy to time instead of the file. Files that were just written lie in the page cache in larger pieces than files that
 * were read back from the disk: a start then takes 1.6 ms less. Copied, all are alike, and as on a node where they were
 * just installed.
 */
export function freshCopy(file: string): string {
  // A plugin may go by the name of its file.
  const copy = join(scratchFile(), basename(file))
  mkdirSync(dirname(copy))
  copyFileSync(file, copy)
  return copy
}

function newFolder(): string {
  mkdirSync(join(root, 'dist/bench'), { recursive: true })
  const made = mkdtempSync(join(root, 'dist/bench/scratch-'))
  process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  // Ctrl-C: no `exit` without
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  return made
}
