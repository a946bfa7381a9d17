import { host } from '../host.ts'
import { signalDescriptor } from './signals.ts'

const builtins = new Map<string, object>()

/** Registers modules for `process.getBuiltinModule`, by names with `node:`. */
export function registerBuiltins(modules: Readonly<Record<string, object>>): void {
  for (const [name, module] of Object.entries(modules)) builtins.set(name, module)
}

/** Module with system calls and the deadline, for packages that support the small runtime. */
const hostModule = {
  syscall: host.syscall,
  address: host.address,
  arch: host.arch,
  /**
   * Interrupts code that runs for this many milliseconds without returning to the event loop. A pending signal that the
   * program listens for interrupts this code, too. The code cannot catch the interruption; timers continue. 0 removes
   * the deadline.
   */
  setDeadline: (ms: number): void => host.setDeadline(ms, signalDescriptor()),
}

export function findBuiltin(name: string): object | undefined {
  if (name === 'cni:host') return hostModule
  return builtins.get(name) ?? builtins.get(`node:${name}`)
}
