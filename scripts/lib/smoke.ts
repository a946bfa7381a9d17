import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { exec, machineNode } from './exec.ts'
import { manifests } from './pack.ts'

/**
 * Script that imports entries of packages. It is JavaScript, because the user's version of Node.js may not support
 * TypeScript.
 */
const IMPORT_ALL = `for (const entry of process.argv.slice(1)) {
  if (Object.keys(await import(entry)).length === 0) throw new Error(entry + ' exports nothing')
}
process.stdout.write(process.versions.node)`

/** Imports every public entry of every built package. Uses the Node.js with which the user has started npm. */
export async function smokeTest() {
  const entries = manifests().flatMap(({ folder, manifest }) =>
    Object.values(manifest.exports).flatMap((target) =>
      typeof target === 'object' ? [pathToFileURL(join(folder, target.default)).href] : [],
    ),
  )
  const version = await exec([machineNode, '--input-type=module', '--eval', IMPORT_ALL, ...entries], { quiet: true })
  return { note: `${entries.length} entries on Node ${version}` }
}
