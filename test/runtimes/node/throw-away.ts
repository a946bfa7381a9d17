import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Returns the folder of the test's throw-away node, and the parent of its cgroups. Both are removed with the node.
 *
 * @throws Error outside of a throw-away node, because container runtimes would change the machine itself.
 */
export function throwAway() {
  const { CNI_RUNTIMES_FOLDER: folder, CNI_RUNTIMES_CGROUP: cgroup } = process.env
  if (folder === undefined || cgroup === undefined) {
    throw new Error('container runtimes are only started in a throw-away node: npm run test:runtimes')
  }
  return { folder, cgroup }
}

/** Creates a folder with a short name, because the path of a unix socket has at most 107 characters. */
export const folderFor = (what: string): string => mkdtempSync(join(throwAway().folder, `${what}-`))
