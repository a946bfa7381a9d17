import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type * as Esbuild from 'esbuild'

/**
 * What an executable runs before all else: `clean-start.ts` with all that it imports. A text and no import of the
 * entry, because whoever builds a plugin need not have our packages, and because nothing of the plugin, not even a module
 * that it imports, is to run earlier.
 */
export interface Prelude {
  /** One module without imports, for any runtime. */
  source: string
  /** Makes the source part of `cni-build`, should it be what is bundled. */
  define: Readonly<Record<string, string>>
}

/** Replaced where this package is an executable itself, which has no file beside it. */
declare const CNI_BUILD_PRELUDE: string | undefined

export async function readPrelude(esbuild: typeof Esbuild): Promise<Prelude> {
  const source = typeof CNI_BUILD_PRELUDE === 'string' ? CNI_BUILD_PRELUDE : await sourceBeside(esbuild)
  return { source, define: { CNI_BUILD_PRELUDE: JSON.stringify(source) } }
}

/** The text of a bundle with the prelude in front, but behind what only counts on the first line. */
export async function withPrelude(
  esbuild: typeof Esbuild,
  text: string,
  { source }: Prelude,
  options: { minify: boolean; define: Readonly<Record<string, string>> },
): Promise<string> {
  const first = /^(?:#!.*\n)?(?:"use strict";\n?)?/.exec(text)?.[0] ?? ''
  const code = await bundled(esbuild, { ...options, stdin: { contents: source }, format: 'iife' })
  return `${first}${code}${text.slice(first.length)}`
}

// internal

function sourceBeside(esbuild: typeof Esbuild): Promise<string> {
  const extension = extname(import.meta.url)
  return bundled(esbuild, {
    entryPoints: [fileURLToPath(new URL(`./clean-start${extension}`, import.meta.url))],
    conditions: extension === '.ts' ? ['@cni/source'] : [],
    format: 'esm',
  })
}

async function bundled(esbuild: typeof Esbuild, options: Esbuild.BuildOptions): Promise<string> {
  const { outputFiles } = await esbuild.build({
    ...options,
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node20',
    legalComments: 'none',
    logLevel: 'silent',
    // Not that of a folder that it happens to be in.
    tsconfigRaw: {},
  })
  return outputFiles?.[0]?.text ?? ''
}
