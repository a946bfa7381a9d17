import { isBuiltin } from 'node:module'
import type * as Esbuild from 'esbuild'
import type { Platform } from './platform.ts'

/** The namespace of Node modules that the platform lacks. */
export const LACKING = 'not-in-the-small-runtime'

/** The namespace of modules that CommonJS asks for. */
const REQUIRED = 'required'

/**
 * Resolves Node's modules to those of the platform. A module that it lacks becomes an empty one; `refuse` looks whether
 * the bundle uses it.
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
      // `require` gives the object that a program may patch, which is the default export.
      build.onLoad({ filter: /^/, namespace: REQUIRED }, ({ path }) => ({
        contents: `module.exports = require(${JSON.stringify(path)}).default`,
        resolveDir: platform.folder,
      }))
      build.onLoad({ filter: /^/, namespace: LACKING }, () => ({ contents: 'module.exports = {}' }))
    },
  }
}
