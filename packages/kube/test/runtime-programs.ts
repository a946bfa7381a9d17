import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { NODE } from '../../../test/node.ts'

const require = createRequire(import.meta.url)

const bun = join(dirname(require.resolve('@oven/bun-linux-x64-baseline/package.json')), 'bin/bun')

/** Command lines of the JavaScript runtimes, to which the test appends a TypeScript file. */
export const runtimePrograms: ReadonlyArray<readonly [name: string, program: readonly [string, ...string[]]]> = [
  ['node', NODE],
  ['bun', [bun, '--conditions=@cni/source']],
]
