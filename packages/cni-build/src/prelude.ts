import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type * as Esbuild from 'esbuild'

/** Code that runs before the program. An import could not guarantee this order. */
export interface Prelude {
  /**
   * Text of `clean-start.ts`, which runs at every start. It restarts the program if an environment variable configures
   * the runtime.
   */
  check: string
  /**
   * Body of the function `restart`, which restarts the program without the environment variables that configure the
   * runtime.
   */
  restart: string
}

/** JSON text of the prelude, for a compiled `cni-build`, which cannot read source files. */
declare const CNI_BUILD_PRELUDE: string | undefined

/** Defines the constant `CNI_BUILD_PRELUDE` for esbuild. The value is text, because esbuild would move an object. */
export const preludeDefine = (prelude: Prelude) => ({ CNI_BUILD_PRELUDE: JSON.stringify(JSON.stringify(prelude)) })

export async function readPrelude(esbuild: typeof Esbuild): Promise<Prelude> {
  if (typeof CNI_BUILD_PRELUDE === 'string') return JSON.parse(CNI_BUILD_PRELUDE)
  // Reads the source files of the prelude: the code that executables run first. Published packages contain these files
  // too, beside `dist`.
  const folder = fileURLToPath(new URL('../src/prelude', import.meta.url))
  const call = `import { restart } from './restart.ts'\nrestart(unwanted)`
  const options: Esbuild.BuildOptions = { conditions: ['@cni/source'], format: 'esm' }
  return {
    check: await bundled(esbuild, { ...options, entryPoints: [join(folder, 'clean-start.ts')] }),
    restart: await bundled(esbuild, { ...options, stdin: { contents: call, resolveDir: folder } }),
  }
}

/** Inserts the prelude into a bundle. Wraps the bundle in a function, so that the bundle's variables stay local. */
export async function withPrelude(
  esbuild: typeof Esbuild,
  text: string,
  { check, restart }: Prelude,
  options: { minify: boolean; define: Readonly<Record<string, string>> },
): Promise<string> {
  const script = (contents: string) => bundled(esbuild, { ...options, stdin: { contents }, format: 'iife' })
  const first = /^(?:#!.*\n)?(?:"use strict";\n?)?/.exec(text)?.[0] ?? ''
  // Most starts never call `restart`, and the runtime reads an inner function's bytecode lazily.
  const prelude = `(()=>{function restart(unwanted){${await script(restart)}}\n${await script(check)}})();\n`
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
    // An empty tsconfig. It makes esbuild ignore a tsconfig.json in the working directory.
    tsconfigRaw: {},
  })
  return outputFiles?.[0]?.text ?? ''
}
