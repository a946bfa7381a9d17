import { existsSync } from 'node:fs'
import { delimiter, join, resolve, sep } from 'node:path'

/** Original programs, such as Istio's, that are measured if they are found. */
export const PEERS = ['istio-cni', 'install-cni', 'cnitool'] as const

/**
 * Folder of the originals: the given folder, else the first in PATH that has one of them outside this repository.
 *
 * @param own - the repository: `npm run` adds its `node_modules/.bin` with our own programs to PATH
 */
export function findPeers(named: string | undefined, path: string, own: string): string | undefined {
  if (named !== undefined && named !== '') return named
  const isOwn = (folder: string) => `${resolve(folder)}${sep}`.startsWith(`${resolve(own)}${sep}`)
  return path.split(delimiter).find((folder) => folder !== '' && !isOwn(folder) && peersIn(folder).length > 0)
}

export function peersIn(folder: string): string[] {
  return PEERS.filter((name) => existsSync(join(folder, name)))
}

/** Path of one original. The command that starts a suite passes the folder. */
export function peer(name: (typeof PEERS)[number]): string | undefined {
  const folder = process.env.CNI_PEERS ?? ''
  const file = join(folder, name)
  return folder !== '' && existsSync(file) ? file : undefined
}
