import { basename, join } from 'node:path'
import type { Options } from 'tsup'

/** One library build for every package: ESM only, Node 20.19 and later, declarations, source maps. */
export const library = (entry: Record<string, string>): Options => ({
  entry,
  format: ['esm'],
  target: 'node20',
  platform: 'node',
  dts: { entry: declarations(entry) },
  clean: true,
  sourcemap: true,
  splitting: true,
  removeNodeProtocol: false,
})

/** Declarations that `tsc` wrote for all packages at once: a compiler per package takes four times as long. */
const declarations = (entry: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(entry).map(([name, file]) => [
      name,
      join('../../dist/declarations', basename(process.cwd()), file.replace(/\.ts$/, '.d.ts')),
    ]),
  )
