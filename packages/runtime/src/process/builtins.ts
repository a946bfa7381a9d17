import { host } from '../host.ts'

const builtins = new Map<string, object>()

/** Modules that `process.getBuiltinModule` finds, by their names with `node:`. */
export function registerBuiltins(modules: Readonly<Record<string, object>>): void {
  for (const [name, module] of Object.entries(modules)) builtins.set(name, module)
}

/** System calls, for packages that reach the kernel without a C library. */
const hostModule = { syscall: host.syscall, address: host.address, arch: host.arch }

export function findBuiltin(name: string): object | undefined {
  if (name === 'cni:host') return hostModule
  return builtins.get(name) ?? builtins.get(`node:${name}`)
}
