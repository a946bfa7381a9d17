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

/** Folders that the suite hides, because sockets in `/run`, such as D-Bus, lead to the machine's services. */
export const STATE_FOLDERS = ['/run', '/var/lib/cni'] as const

/**
 * New folders in which the tested plugin keeps its files, in place of the machine's `/run`, `/var/lib/cni` and others.
 */
export interface State {
  /** Bind mounts in the plugin's mount namespace, in the order in which they are made. */
  readonly mounts: readonly Mount[]
  /** Returns a map from path to text, for all files that plugins have created on the node. */
  files(): ReadonlyMap<string, string>
  /** Deletes the folders in which the tested plugin kept its files. */
  remove(): void
}

/** Creates new folders for the plugin's files. The plugin also sees the machine's files in `shares` there. */
export function emptyState(dir: string, shares: readonly string[], folders: readonly string[] = STATE_FOLDERS): State {
  mkdirSync(dir)
  const covers = folders.map((folder, index) => coverOf(folder, join(dir, String(index))))
  for (const { folder, by } of covers) if (folder === '/run') populate(by)
  const shared = covers.flatMap(({ folder, by }) =>
    shares.filter((share) => isBelow(share, folder)).map((share) => shareOf(share, join(by, relative(folder, share)))),
  )
  const allFiles = () =>
    new Map(
      covers.flatMap(({ folder, by }) => [...contents(by)].map(([path, text]) => [join(folder, path), text] as const)),
    )
  const before = new Set(allFiles().keys())
  return {
    mounts: [...shared, ...covers.flatMap(({ mounts }) => mounts)],
    files: () => new Map([...allFiles()].filter(([path]) => !before.has(path))),
    remove() {
      // Throws if something is mounted in the folder, because deletion would empty the mounted folder, too.
      if (readFileSync('/proc/self/mountinfo', 'utf8').includes(` ${dir}/`)) throw new Error(`${dir} is mounted upon`)
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** Resolved path of a shared file below `/run` or `/var/lib/cni`, else `undefined`. */
export function shareBelowState(path: string): string | undefined {
  const real = join(realpathSync(dirname(path)), basename(path))
  return STATE_FOLDERS.some((folder) => isBelow(real, folder)) ? real : undefined
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`)
}

interface Cover {
  readonly folder: string
  /** New folder that the plugin sees in place of the machine's folder. */
  readonly by: string
  readonly mounts: readonly Mount[]
}

/** Prepares a new folder that the plugin sees in place of a folder of the machine. */
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

/** Creates the standard entries of `/run`, which programs expect to exist. */
function populate(run: string): void {
  for (const folder of ['lock', 'netns']) mkdirSync(join(run, folder))
  writeFileSync(join(run, 'xtables.lock'), '', { mode: 0o600 })
}

function shareOf(share: string, to: string): Mount {
  mkdirSync(dirname(to), { recursive: true })
  if (statSync(share).isDirectory()) mkdirSync(to, { recursive: true })
  else writeFileSync(to, '')
  return { from: share, to }
}
