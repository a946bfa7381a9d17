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
 * Where plugins keep state: leases, caches, sockets, locks. D-Bus is below `/run`, too, and the firewall plugin would tell
 * the machine's firewalld about our pods.
 */
export const STATE_FOLDERS = ['/run', '/var/lib/cni'] as const

/** The folders of state that a plugin sees in place of the machine's. */
export interface State {
  /** What the wrapper has to mount, in this order. */
  readonly mounts: readonly Mount[]
  /** Everything that was put there, by the path the plugin knows; a folder ends in `/`. With the text of files. */
  look(): ReadonlyMap<string, string>
  /** Removes them, and what was put there. */
  remove(): void
}

/**
 * New folders of state below `dir`, with nothing in them but what every node has, and `shares`: files and folders
 * of the machine that the plugin sees as they are.
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
      // The mounts are in the namespaces of the plugin's processes. If one were here, this would empty a folder of the machine.
      if (readFileSync('/proc/self/mountinfo', 'utf8').includes(` ${dir}/`)) throw new Error(`${dir} is mounted upon`)
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** The path below a folder of state that a share is at, without links on the way; `undefined` when it is elsewhere. */
export function shareBelowState(path: string): string | undefined {
  const real = join(realpathSync(dirname(path)), basename(path))
  return STATE_FOLDERS.some((folder) => isBelow(real, folder)) ? real : undefined
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`)
}

interface Cover {
  readonly folder: string
  /** What the plugin sees there. */
  readonly by: string
  readonly mounts: readonly Mount[]
}

/** A folder that the machine does not have is not made there: the folder above it is covered, by links to what is in it. */
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

/** What programs expect of `/run`. */
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
