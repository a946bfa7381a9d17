import type { Options } from 'tsup'

/** One library build for every package: ESM only, Node 20.19 and later, declarations, source maps. */
export const library = (entry: Record<string, string>): Options => ({
  entry,
  format: ['esm'],
  target: 'node20',
  platform: 'node',
  dts: true,
  clean: true,
  sourcemap: true,
  splitting: true,
  removeNodeProtocol: false,
})
