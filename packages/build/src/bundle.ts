import { mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { writeFileAtomic } from '@cni/host'
import { type BuildFailure, build, formatMessagesSync } from 'esbuild'
import { BuildError } from './errors.ts'

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
}

export interface Bundle {
  /** The CommonJS text: one file, no imports but Node's own. */
  text: string
  bytes: number
  /** The input files that ended up in it, largest first. */
  inputs: ReadonlyArray<{ path: string; bytes: number }>
}

/** Loaded at run time if the runtime has them; never part of a bundle. */
const external = ['koffi', 'bun:ffi', 'node:ffi']

/**
 * Bundle one entry into a single CommonJS file that Node 20.19 and later and bun run unchanged.
 *
 * CommonJS, because `bun build --bytecode` takes nothing else; esbuild, because bun's own bundler swaps `node-fetch`
 * and `undici` for its built-in fetch, which ignores a custom CA.
 *
 * @throws BuildError `BUNDLE` with the bundler's own messages.
 */
export async function bundle(options: BundleOptions): Promise<Bundle> {
  const result = await build({
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
    define: { ...options.define },
    external,
    logLevel: 'silent',
  }).catch((cause: BuildFailure) => {
    throw new BuildError('BUNDLE', `cannot bundle ${options.entry}:\n${messages(cause)}`, { cause })
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
  return { text, bytes: Buffer.byteLength(text), inputs }
}

const messages = (failure: BuildFailure): string =>
  Array.isArray(failure.errors)
    ? formatMessagesSync(failure.errors, { kind: 'error', color: false }).join('').trim()
    : String(failure)
