import { isBuiltin } from 'node:module'
import type * as Esbuild from 'esbuild'
import type { Platform } from './platform.ts'

/** esbuild namespace of Node modules that the platform lacks. */
export const LACKING = 'not-in-the-small-runtime'

/** esbuild namespace of modules that CommonJS code requires. */
const REQUIRED = 'required'

/**
 * Resolves Node's modules to the platform's modules. A missing module is resolved to an empty one; `refuse` reports it
 * if the bundle uses it.
 */
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
      // `require` returns the module's default export, because a program may patch the members of this object.
      build.onLoad({ filter: /^/, namespace: REQUIRED }, ({ path }) => ({
        contents: `module.exports = require(${JSON.stringify(path)}).default`,
        resolveDir: platform.folder,
      }))
      build.onLoad({ filter: /^/, namespace: LACKING }, () => ({ contents: 'module.exports = {}' }))
    },
  }
}
