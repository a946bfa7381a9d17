import { isBuiltin } from 'node:module'
import type * as Esbuild from 'esbuild'

/** Part of a runtime, whether or not the Node that builds has them. */
const OF_A_RUNTIME = new Set(['bun:ffi', 'node:ffi'])

/**
 * The packages that a bundle would look for when it runs: those in a `try` that are not installed, koffi and netlink. bun
 * finds them in `node_modules` of the working directory, which may be anybody's.
 */
export function leftToRunTime({ outputs }: Esbuild.Metafile): string[] {
  const imports = Object.values(outputs).flatMap((output) => output.imports)
  const names = imports.filter(({ external }) => external).map(({ path }) => path)
  return [...new Set(names)].filter((name) => !isBuiltin(name) && !OF_A_RUNTIME.has(name))
}

/** Makes each of them a module that fails to load the way one that is not installed does. */
export function absent(names: () => readonly string[]): Esbuild.Plugin {
  return {
    name: 'absent',
    setup(build) {
      build.onResolve({ filter: /^/ }, ({ path }) =>
        names().includes(path) ? { path, namespace: 'absent' } : undefined,
      )
      build.onLoad({ filter: /^/, namespace: 'absent' }, ({ path }) => {
        const message = JSON.stringify(`Cannot find module '${path}': it is not part of this executable`)
        return { contents: `throw Object.assign(Error(${message}), { code: 'MODULE_NOT_FOUND' }); module.exports = {}` }
      })
    },
  }
}
