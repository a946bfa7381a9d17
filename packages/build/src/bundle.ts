import { mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { writeFileAtomic } from '@cni/host'
import type * as Esbuild from 'esbuild'
import { type BundleShare, shares } from './bundle-shares.ts'
import { BuildError } from './errors.ts'
import { needPackage } from './find-package.ts'
import type { Runtime } from './target.ts'

export interface BundleOptions {
  /** The entry module, for example `src/main.ts`. */
  entry: string
  /** Where the bundle goes; nothing is written when absent. */
  outfile?: string
  /** Default true. */
  minify?: boolean
  /** Extra `exports` conditions, for example `@cni/source` inside this repository. */
  conditions?: readonly string[]
  /** Replaced at build time: `{ __VERSION__: '"1.2.3"' }`. */
  define?: Readonly<Record<string, string>>
  /**
   * Leave out what only another runtime needs: `process.versions.bun` becomes a constant, so that the branches it
   * decides are dropped with all they import. Default: a bundle for both.
   */
  runtime?: Runtime
}

export interface Bundle {
  /** The CommonJS text: one file, no imports but the runtime's own. */
  text: string
  bytes: number
  /** The input files that ended up in it, largest first. */
  inputs: ReadonlyArray<{ path: string; bytes: number }>
  /** The same by package, largest first. */
  packages: readonly BundleShare[]
}

/** Loaded at run time if the runtime has them; never part of a bundle. */
const external = ['koffi', 'bun:ffi', 'node:ffi']

const RUNTIME_DEFINES: Readonly<Record<Runtime, Readonly<Record<string, string>>>> = {
  bun: { 'process.versions.bun': '"1"' },
  node: { 'process.versions.bun': 'undefined' },
}

/**
 * Bundle one entry into a single CommonJS file. Without `runtime`, Node 20.19 and later and bun run it unchanged.
 *
 * CommonJS, because `bun build --bytecode` takes nothing else; esbuild, because bun's own bundler swaps `node-fetch`
 * and `undici` for its built-in fetch, which ignores a custom CA.
 *
 * @throws BuildError `BUNDLE` with the bundler's own messages, `NO_COMPILER` when esbuild is missing.
 */
export async function bundle(options: BundleOptions): Promise<Bundle> {
  const esbuild = loadEsbuild()
  const result = await esbuild
    .build({
      entryPoints: [resolve(options.entry)],
      bundle: true,
      write: false,
      metafile: true,
      platform: 'node',
      format: 'cjs',
      target: 'node20',
      minify: options.minify ?? true,
      legalComments: 'none',
      conditions: [...(options.conditions ?? [])],
      define: { ...(options.runtime && RUNTIME_DEFINES[options.runtime]), ...options.define },
      external,
      logLevel: 'silent',
    })
    .catch((cause: Esbuild.BuildFailure) => {
      throw new BuildError('BUNDLE', `cannot bundle ${options.entry}:\n${messages(esbuild, cause)}`, { cause })
    })
  const text = result.outputFiles[0]?.text ?? ''
  if (options.outfile) {
    mkdirSync(dirname(resolve(options.outfile)), { recursive: true })
    writeFileAtomic(resolve(options.outfile), text, { mode: 0o644 })
  }
  const output = Object.values(result.metafile.outputs)[0]
  const inputs = Object.entries(output?.inputs ?? {})
    .map(([path, input]) => ({ path, bytes: input.bytesInOutput }))
    .sort((a, b) => b.bytes - a.bytes)
  return { text, bytes: Buffer.byteLength(text), inputs, packages: shares(inputs) }
}

// Found at use and not imported: its JavaScript cannot be bundled, and `cni-build` is compiled, too.
const loadEsbuild = (): typeof Esbuild => needPackage('esbuild').require('./lib/main.js')

const messages = (esbuild: typeof Esbuild, failure: Esbuild.BuildFailure): string =>
  Array.isArray(failure.errors)
    ? esbuild.formatMessagesSync(failure.errors, { kind: 'error', color: false }).join('').trim()
    : String(failure)
