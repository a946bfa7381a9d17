import { host } from '../host.ts'
import { signalDescriptor } from './signals.ts'

const builtins = new Map<string, object>()

/** Registers modules that `process.getBuiltinModule` returns, by names that begin with `node:`. */
export function registerBuiltins(modules: Readonly<Record<string, object>>): void {
  for (const [name, module] of Object.entries(modules)) builtins.set(name, module)
}

/** Module `cni:host` with system calls and a time limit for code, for packages that support the small runtime. */
const hostModule = {
  syscall: host.syscall,
  address: host.address,
  arch: host.arch,
  /** Interrupts JavaScript code that blocks the event loop longer than `ms` milliseconds. 0 removes the limit. */
  setDeadline: (ms: number): void => host.setDeadline(ms, signalDescriptor()),
}

export function findBuiltin(name: string): object | undefined {
  if (name === 'cni:host') return hostModule
  return builtins.get(name) ?? builtins.get(`node:${name}`)
}
