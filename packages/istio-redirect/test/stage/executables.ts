import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { deep } from '../../../../test/deep.ts'

const dist = fileURLToPath(new URL('../../../../dist', import.meta.url))

export const COMPILED = built('bin/istio-cni')
const BUNDLE = built('bundle/istio-cni.cjs')

/** Two builds of the plugin under test: compiled to one file, and a bundle that Node.js runs. */
export const RUNTIMES: ReadonlyArray<readonly [name: string, plugin: (folder: string) => string]> = [
  ['compiled', () => COMPILED],
  ['bundle on Node', onNode],
]

/** Builds of the plugin with which a test runs. `npm run test:deep` adds Node.js's bundle. */
export const ANY_RUNTIME = deep ? RUNTIMES : RUNTIMES.slice(0, 1)

/** Copies the plugin's bundle to a script, because a container runtime executes the plugin's file. */
function onNode(folder: string): string {
  const script = join(folder, 'istio-cni')
  writeFileSync(script, readFileSync(BUNDLE, 'utf8').replace(/^#!.*/, `#!${process.execPath}`))
  chmodSync(script, 0o755)
  return script
}

/** Returns the path of a built file below `dist`. Throws if the file is missing. */
export function built(name: string): string {
  const path = join(dist, name)
  if (!existsSync(path)) throw new Error(`${path} is missing: npm run build`)
  return path
}
