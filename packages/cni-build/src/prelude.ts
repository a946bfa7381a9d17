import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type * as Esbuild from 'esbuild'

/**
 * Code that an executable runs before the program, as two modules without imports, for any runtime. The build inserts
 * them as texts instead of imports of the entry, for two reasons. A plugin's project need not have our packages. No
 * module of the plugin must run before this code.
 */
export interface Prelude {
  /** Code of every start: `clean-start.ts`. It calls `startAnew`. */
  check: string
  /** Body of `startAnew(unwanted)`: `start-anew.ts`. It runs only if the environment has a variable of the runtime. */
  startAnew: string
}

/**
 * The prelude as JSON in a compiled `cni-build`, which has no source files beside it. Undefined in `cni-build` from
 * source or `dist`.
 */
declare const CNI_BUILD_PRELUDE: string | undefined

/**
 * Defines the prelude as a constant in the bundle of `cni-build` itself. The constant is a text because esbuild would
 * make an object a module of its own.
 */
export const preludeDefine = (prelude: Prelude) => ({ CNI_BUILD_PRELUDE: JSON.stringify(JSON.stringify(prelude)) })

export async function readPrelude(esbuild: typeof Esbuild): Promise<Prelude> {
  if (typeof CNI_BUILD_PRELUDE === 'string') return JSON.parse(CNI_BUILD_PRELUDE)
  // Reads the sources of the prelude. Published packages contain them beside `dist`, too.
  const folder = fileURLToPath(new URL('../src/prelude', import.meta.url))
  const call = `import { startAnew } from './start-anew.ts'\nstartAnew(unwanted)`
  const options: Esbuild.BuildOptions = { conditions: ['@cni/source'], format: 'esm' }
  return {
    check: await bundled(esbuild, { ...options, entryPoints: [join(folder, 'clean-start.ts')] }),
    startAnew: await bundled(esbuild, { ...options, stdin: { contents: call, resolveDir: folder } }),
  }
}

/**
 * Adds the prelude to a bundle, after a hashbang or directive on its first line. The bundle is wrapped in a function
 * because it may have a variable `process`. An arrow function keeps the `this` and `arguments` of the module.
 */
export async function withPrelude(
  esbuild: typeof Esbuild,
  text: string,
  { check, startAnew }: Prelude,
  options: { minify: boolean; define: Readonly<Record<string, string>> },
): Promise<string> {
  const script = (contents: string) => bundled(esbuild, { ...options, stdin: { contents }, format: 'iife' })
  const first = /^(?:#!.*\n)?(?:"use strict";\n?)?/.exec(text)?.[0] ?? ''
  // `startAnew` is a nested function: the runtime does not read bytecode of functions that are not called.
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
    // Makes esbuild ignore a tsconfig.json in the working directory.
    tsconfigRaw: {},
  })
  return outputFiles?.[0]?.text ?? ''
}
