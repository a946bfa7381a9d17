import { host } from '../host.ts'
import { signalDescriptor } from './signals.ts'

const builtins = new Map<string, object>()

/** Modules that `process.getBuiltinModule` finds, by their names with `node:`. */
export function registerBuiltins(modules: Readonly<Record<string, object>>): void {
  for (const [name, module] of Object.entries(modules)) builtins.set(name, module)
}

/** System calls and the deadline, for packages that are written for this runtime too. */
const hostModule = {
  syscall: host.syscall,
  address: host.address,
  arch: host.arch,
  /**
   * Ends code that still runs after so many milliseconds without returning to the event loop: the code cannot catch it,
   * timers go on. So does a signal that the program listens for and that such code leaves unread. 0 takes it back.
   */
  setDeadline: (ms: number): void => host.setDeadline(ms, signalDescriptor()),
}

export function findBuiltin(name: string): object | undefined {
  if (name === 'cni:host') return hostModule
  return builtins.get(name) ?? builtins.get(`node:${name}`)
}
