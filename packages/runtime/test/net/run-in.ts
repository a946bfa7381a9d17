import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { NODE } from '../../../../test/node.ts'
import type { Ran, World } from './dns-world.ts'

const script = fileURLToPath(new URL('dns-world.ts', import.meta.url))

/** Runs commands in namespaces with DNS servers of their own. Concurrent calls need separate folders. */
export async function runIn(folder: string, world: Omit<World, 'folder'>): Promise<Ran[]> {
  const argument = JSON.stringify({ folder, ...world })
  const { stdout } = await promisify(execFile)('unshare', ['-nm', ...NODE, script, argument])
  return JSON.parse(stdout)
}
