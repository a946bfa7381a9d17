import { existsSync } from 'node:fs'
import { delimiter, join, resolve, sep } from 'node:path'

/** Names of original programs, such as Istio's, that the benchmark measures too if it finds their executables. */
export const PEERS = ['istio-cni', 'install-cni', 'cnitool'] as const

/**
 * Finds the folder with the original programs, such as Istio's `istio-cni`.
 *
 * @param own - skipped folder: `npm run` adds the `node_modules/.bin` of this folder to PATH
 */
export function findPeers(named: string | undefined, path: string, own: string): string | undefined {
  if (named !== undefined && named !== '') return named
  const isOwn = (folder: string) => `${resolve(folder)}${sep}`.startsWith(`${resolve(own)}${sep}`)
  return path.split(delimiter).find((folder) => folder !== '' && !isOwn(folder) && peersIn(folder).length > 0)
}

export function peersIn(folder: string): string[] {
  return PEERS.filter((name) => existsSync(join(folder, name)))
}

/** Path of an original program, such as `istio-cni`, in the folder `CNI_PEERS`. */
export function peer(name: (typeof PEERS)[number]): string | undefined {
  const folder = process.env.CNI_PEERS ?? ''
  const file = join(folder, name)
  return folder !== '' && existsSync(file) ? file : undefined
}
