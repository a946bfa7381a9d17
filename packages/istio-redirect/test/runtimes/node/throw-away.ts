import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'

/** What `npm run test:runtimes` says about the node it made. */
export interface ThrowAway {
  /** Holds everything of the node; removed with it. */
  readonly folder: string
  /** The parent of all control groups; removed with the node. */
  readonly cgroup: string
}

/**
 * The node we run in: network, mount and process namespaces of its own.
 *
 * @throws Error when there is none: container runtimes would change the machine itself.
 */
export function throwAway(): ThrowAway {
  const { CNI_RUNTIMES_FOLDER: folder, CNI_RUNTIMES_CGROUP: cgroup } = process.env
  if (folder === undefined || cgroup === undefined) {
    throw new Error('container runtimes are only started in a throw-away node: npm run test:runtimes')
  }
  return { folder, cgroup }
}

/** A folder of its own for each part, with a short name: paths of sockets have to stay below 108 characters. */
export const folderFor = (what: string): string => mkdtempSync(join(throwAway().folder, `${what}-`))
