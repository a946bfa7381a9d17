import { isBuiltin } from 'node:module'
import type * as Esbuild from 'esbuild'

/** Modules that the executable's runtime provides but that Node.js on the build machine may lack. */
const RUNTIME_MODULES = new Set(['bun:ffi', 'node:ffi'])

/** Packages that must fail to load, because bun would load them from the untrusted working directory. */
export function externalPackages({ outputs }: Esbuild.Metafile): string[] {
  const imports = Object.values(outputs).flatMap((output) => output.imports)
  const names = imports.filter(({ external }) => external).map(({ path }) => path)
  return [...new Set(names)].filter((name) => !isBuiltin(name) && !RUNTIME_MODULES.has(name))
}

/** Makes esbuild replace each listed package by a module that fails to load. */
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
