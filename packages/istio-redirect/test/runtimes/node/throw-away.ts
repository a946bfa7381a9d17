import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'

/** Properties of the node that `npm run test:runtimes` has made. */
export interface ThrowAway {
  /** Holds everything of the node; removed with it. */
  readonly folder: string
  /** The parent of all control groups; removed with the node. */
  readonly cgroup: string
}

/**
 * The node of this process, with namespaces of its own for network, mounts and processes.
 *
 * @throws Error if there is no such node: container runtimes would change the machine itself.
 */
export function throwAway(): ThrowAway {
  const { CNI_RUNTIMES_FOLDER: folder, CNI_RUNTIMES_CGROUP: cgroup } = process.env
  if (folder === undefined || cgroup === undefined) {
    throw new Error('container runtimes are only started in a throw-away node: npm run test:runtimes')
  }
  return { folder, cgroup }
}

/** Makes a folder with a short name: paths of sockets have at most 107 characters. */
export const folderFor = (what: string): string => mkdtempSync(join(throwAway().folder, `${what}-`))
