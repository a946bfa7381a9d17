import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { contents } from './contents.ts'
import type { Mount } from './wrapper.ts'

/**
 * Folders where plugins keep state: leases, caches, sockets, locks. `/run` is replaced, too, because it contains the
 * socket of D-Bus: the firewall plugin would otherwise talk to the machine's firewalld.
 */
export const STATE_FOLDERS = ['/run', '/var/lib/cni'] as const

/** Folders that a plugin sees instead of the machine's folders. */
export interface State {
  /** Mounts that the wrapper makes, in this order. */
  readonly mounts: readonly Mount[]
  /** All state files: text by the path that the plugin sees. Folder paths end in `/`. */
  look(): ReadonlyMap<string, string>
  /** Removes the state folders and their contents. */
  remove(): void
}

/**
 * Creates state folders below `dir`. They contain only the standard entries of a node and `shares`: files and folders
 * of the machine that the plugin may access.
 */
export function freshState(dir: string, shares: readonly string[], folders: readonly string[] = STATE_FOLDERS): State {
  mkdirSync(dir)
  const covers = folders.map((folder, index) => coverOf(folder, join(dir, String(index))))
  for (const { folder, by } of covers) if (folder === '/run') furnish(by)
  const shared = covers.flatMap(({ folder, by }) =>
    shares.filter((share) => isBelow(share, folder)).map((share) => shareOf(share, join(by, relative(folder, share)))),
  )
  const look = () =>
    new Map(
      covers.flatMap(({ folder, by }) => [...contents(by)].map(([path, text]) => [join(folder, path), text] as const)),
    )
  const before = new Set(look().keys())
  return {
    mounts: [...shared, ...covers.flatMap(({ mounts }) => mounts)],
    look: () => new Map([...look()].filter(([path]) => !before.has(path))),
    remove() {
      // The mounts exist only in the plugin's namespaces. If `dir` were mounted here, removal would empty a folder of
      // the machine.
      if (readFileSync('/proc/self/mountinfo', 'utf8').includes(` ${dir}/`)) throw new Error(`${dir} is mounted upon`)
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** Path of a shared file with links resolved, if this path is below a state folder. Otherwise `undefined`. */
export function shareBelowState(path: string): string | undefined {
  const real = join(realpathSync(dirname(path)), basename(path))
  return STATE_FOLDERS.some((folder) => isBelow(real, folder)) ? real : undefined
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`)
}

interface Cover {
  readonly folder: string
  /** Folder that the plugin sees instead of the machine's folder. */
  readonly by: string
  readonly mounts: readonly Mount[]
}

/**
 * Covers a folder. If the machine lacks the folder, its parent is covered instead, with links to the parent's contents.
 */
function coverOf(folder: string, dir: string): Cover {
  if (existsSync(folder)) {
    mkdirSync(dir)
    return { folder, by: dir, mounts: [{ from: dir, to: folder }] }
  }
  const above = nearest(dirname(folder))
  const [machine, links] = [join(dir, 'machine'), join(dir, 'links')]
  const by = join(links, relative(above, folder))
  mkdirSync(machine, { recursive: true })
  mkdirSync(by, { recursive: true })
  const missing = relative(above, folder).split('/')[0]
  for (const name of readdirSync(above)) if (name !== missing) symlinkSync(join(machine, name), join(links, name))
  const mounts = [
    { from: above, to: machine },
    { from: links, to: above },
  ]
  return { folder, by, mounts }
}

function nearest(folder: string): string {
  return existsSync(folder) ? folder : nearest(dirname(folder))
}

/** Creates the entries of `/run` that programs expect. */
function furnish(run: string): void {
  for (const folder of ['lock', 'netns']) mkdirSync(join(run, folder))
  writeFileSync(join(run, 'xtables.lock'), '', { mode: 0o600 })
}

function shareOf(share: string, to: string): Mount {
  mkdirSync(dirname(to), { recursive: true })
  if (statSync(share).isDirectory()) mkdirSync(to, { recursive: true })
  else writeFileSync(to, '')
  return { from: share, to }
}
