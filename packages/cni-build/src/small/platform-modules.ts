import { isBuiltin } from 'node:module'
import type * as Esbuild from 'esbuild'
import type { Platform } from './platform.ts'

/** esbuild namespace for Node modules that the small runtime lacks. */
export const LACKING = 'not-in-the-small-runtime'

/** esbuild namespace for Node modules that CommonJS code loads by `require`. */
const REQUIRED = 'required'

/** esbuild plugin that resolves Node's modules to modules of the small runtime. */
export function platformModules(platform: Platform): Esbuild.Plugin {
  return {
    name: 'platform-modules',
    setup(build) {
      build.onResolve({ filter: /^[a-z]/ }, ({ path, kind }) => {
        if (!isBuiltin(path)) return undefined
        const file = platform.fileOf(path)
        if (file === undefined) return { path, namespace: LACKING, sideEffects: false }
        return kind === 'require-call' ? { path: file, namespace: REQUIRED } : { path: file }
      })
      // `require` must return the module's default export: a program may patch members of the returned object.
      build.onLoad({ filter: /^/, namespace: REQUIRED }, ({ path }) => ({
        contents: `module.exports = require(${JSON.stringify(path)}).default`,
        resolveDir: platform.folder,
      }))
      build.onLoad({ filter: /^/, namespace: LACKING }, () => ({ contents: 'module.exports = {}' }))
    },
  }
}
