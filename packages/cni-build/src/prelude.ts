import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type * as Esbuild from 'esbuild'

/**
 * What an executable runs before all else, as two modules without imports, for any runtime. Texts and no import of the
 * entry, because whoever builds a plugin need not have our packages, and because nothing of the plugin, not even a module
 * that it imports, is to run earlier.
 */
export interface Prelude {
  /** What every start runs: `clean-start.ts`. It calls `startAnew`. */
  check: string
  /** The body of `startAnew(unwanted)`, which few starts need: `start-anew.ts`. */
  startAnew: string
}

/** Replaced by its JSON where this package is an executable itself, which has no file beside it. */
declare const CNI_BUILD_PRELUDE: string | undefined

/** Makes the prelude part of `cni-build`, should that be what is bundled. As a text: an object would be a module, for all to import. */
export const preludeDefine = (prelude: Prelude) => ({ CNI_BUILD_PRELUDE: JSON.stringify(JSON.stringify(prelude)) })

export async function readPrelude(esbuild: typeof Esbuild): Promise<Prelude> {
  if (typeof CNI_BUILD_PRELUDE === 'string') return JSON.parse(CNI_BUILD_PRELUDE)
  // Our packages have their sources with them: the result is the same whatever this is executed from.
  const folder = fileURLToPath(new URL('../src/prelude', import.meta.url))
  const call = `import { startAnew } from './start-anew.ts'\nstartAnew(unwanted)`
  const options: Esbuild.BuildOptions = { conditions: ['@cni/source'], format: 'esm' }
  return {
    check: await bundled(esbuild, { ...options, entryPoints: [join(folder, 'clean-start.ts')] }),
    startAnew: await bundled(esbuild, { ...options, stdin: { contents: call, resolveDir: folder } }),
  }
}

/**
 * The text of a bundle with the prelude in front, but behind what only counts on the first line. The bundle is a function
 * of its own: it may have a variable `process`. An arrow function has the `this` and `arguments` of the module.
 */
export async function withPrelude(
  esbuild: typeof Esbuild,
  text: string,
  { check, startAnew }: Prelude,
  options: { minify: boolean; define: Readonly<Record<string, string>> },
): Promise<string> {
  const script = (contents: string) => bundled(esbuild, { ...options, stdin: { contents }, format: 'iife' })
  const first = /^(?:#!.*\n)?(?:"use strict";\n?)?/.exec(text)?.[0] ?? ''
  // A function inside: the runtime reads no bytecode of what is not called.
  const prelude = `(()=>{function startAnew(unwanted){${await script(startAnew)}}\n${await script(check)}})();\n`
  return `${first}${prelude}(()=>{${text.slice(first.length)}
})();
`
}

// internal

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
