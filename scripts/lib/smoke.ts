import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { exec, machineNode, root } from './exec.ts'
import type { Manifest } from './pack.ts'

/** For a Node that may know no TypeScript. */
const IMPORT_ALL = `for (const entry of process.argv.slice(1)) {
  if (Object.keys(await import(entry)).length === 0) throw new Error(entry + ' exports nothing')
}
process.stdout.write(process.versions.node)`

/** Import every public entry of every built package with the user's Node, not the pinned one. */
export async function smokeTest() {
  const packages = join(root, 'packages')
  const entries = readdirSync(packages).flatMap((folder) => {
    const { exports }: Manifest = JSON.parse(readFileSync(join(packages, folder, 'package.json'), 'utf8'))
    return Object.values(exports).flatMap((target) =>
      typeof target === 'object' ? [pathToFileURL(join(packages, folder, target.default)).href] : [],
    )
  })
  const version = await exec([machineNode, '--input-type=module', '--eval', IMPORT_ALL, ...entries], { quiet: true })
  return { note: `${entries.length} entries on Node ${version}` }
}
