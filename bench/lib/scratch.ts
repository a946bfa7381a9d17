import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { root } from './compiled.ts'

let folder: string | undefined
let files = 0

/**
 * A new file for this process on the disk of the executables. The file is removed at exit. It is in a folder beside
 * node_modules, so that compiled code finds packages.
 */
export function scratchFile(ending = ''): string {
  folder ??= newFolder()
  return join(folder, `${++files}${ending}`)
}

/**
 * Copies a file, to time the copy. A newly written file starts faster than one that was read from disk, because the
 * page cache holds it in larger pieces. Copies make all files comparable, and are like newly installed files on a node.
 */
export function freshCopy(file: string): string {
  // The copy keeps its file name, because a plugin may depend on the name.
  const copy = join(scratchFile(), basename(file))
  mkdirSync(dirname(copy))
  copyFileSync(file, copy)
  return copy
}

function newFolder(): string {
  mkdirSync(join(root, 'dist/bench'), { recursive: true })
  const made = mkdtempSync(join(root, 'dist/bench/scratch-'))
  process.once('exit', () => rmSync(made, { recursive: true, force: true }))
  // This handler turns Ctrl-C into the event `exit`, so that cleanup runs.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  return made
}
