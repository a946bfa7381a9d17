import { existsSync } from 'node:fs'
import { delimiter, join, resolve, sep } from 'node:path'

/** The originals that are raced where they are found. */
export const PEERS = ['istio-cni', 'install-cni', 'cnitool'] as const

/**
 * The folder with originals: the one that was named, or the first of PATH with one of them that is not our own.
 *
 * @param own - the repository: `npm run` puts its `node_modules/.bin` into PATH, where our own programs are
 */
export function findPeers(named: string | undefined, path: string, own: string): string | undefined {
  if (named !== undefined && named !== '') return named
  const isOwn = (folder: string) => `${resolve(folder)}${sep}`.startsWith(`${resolve(own)}${sep}`)
  return path.split(delimiter).find((folder) => folder !== '' && !isOwn(folder) && peersIn(folder).length > 0)
}

export function peersIn(folder: string): string[] {
  return PEERS.filter((name) => existsSync(join(folder, name)))
}

/** One original, for a suite: the command that starts it names their folder. */
export function peer(name: (typeof PEERS)[number]): string | undefined {
  const folder = process.env.CNI_PEERS ?? ''
  const file = join(folder, name)
  return folder !== '' && existsSync(file) ? file : undefined
}
