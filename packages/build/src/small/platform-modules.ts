import { isBuiltin } from 'node:module'
import type * as Esbuild from 'esbuild'
import type { Platform } from './platform.ts'

/** The namespace of Node modules that the platform lacks. */
export const LACKING = 'not-in-the-small-runtime'

/**
 * Resolves Node's modules to those of the platform. A module that it lacks becomes an empty one; `refuse` looks whether
 * the bundle uses it.
 */
export function platformModules(platform: Platform): Esbuild.Plugin {
  return {
    name: 'platform-modules',
    setup(build) {
      build.onResolve({ filter: /^[a-z]/ }, ({ path }) => {
        if (!isBuiltin(path)) return undefined
        const file = platform.fileOf(path)
        return file === undefined ? { path, namespace: LACKING, sideEffects: false } : { path: file }
      })
      build.onLoad({ filter: /^/, namespace: LACKING }, () => ({ contents: 'module.exports = {}' }))
    },
  }
}
