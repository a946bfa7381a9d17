import { coded } from '../errors.ts'

/** Implements Node's `createRequire` for compiled programs, which have no modules on disk. */
export function createRequire(file: string | URL): (name: string) => never {
  return (name) => {
    const message = `Cannot find module '${name}': a compiled program has no packages beside it\nRequire stack:\n- ${file}`
    throw coded(new Error(message), 'MODULE_NOT_FOUND')
  }
}

export const builtinModules: readonly string[] = []
export const isBuiltin = (name: string): boolean => name.startsWith('node:')

export default { createRequire, builtinModules, isBuiltin }
