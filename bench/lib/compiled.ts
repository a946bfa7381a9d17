import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildExecutable } from '@cni/build'

export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Compiles `bench/<name>.ts` to an executable. The executable is cached, because compiling is slow. */
export async function compiled(name: 'bare' | 'noop' | 'request'): Promise<string> {
  const { outfile } = await buildExecutable({
    entry: join(root, 'bench', `${name}.ts`),
    outfile: join(root, 'dist/bench', name),
    bundleFile: join(root, 'dist/bench', `${name}.cjs`),
    conditions: ['@cni/source'],
    runtime: name === 'request' ? 'bun' : 'small',
    smoke: false,
    incremental: true,
  })
  return outfile
}
