import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { root } from './compiled.ts'

let folder: string | undefined
let files = 0

/** Returns a new path for a temporary file in the repository: compiled code needs the packages in `node_modules`. */
export function scratchFile(ending = ''): string {
  folder ??= newFolder()
  return join(folder, `${++files}${ending}`)
}

/** Copies an executable before timing, because newly written files start faster than older files. */
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
  // Exits on Ctrl-C or SIGTERM, because the cleanup runs in the process's event `exit`.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  return made
}
