import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

/** The runtimes that what differs between them has to be tested on. */
export const runtimePrograms: ReadonlyArray<readonly [name: string, program: string]> = [
  ['node', process.execPath],
  ['bun', join(dirname(require.resolve('@oven/bun-linux-x64-baseline/package.json')), 'bin/bun')],
]
