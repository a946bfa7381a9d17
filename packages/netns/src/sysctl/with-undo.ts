import type { SysctlPort } from './port.ts'

/** Wraps the kernel settings (sysctl) of a namespace: each change registers an undo step. */
export function sysctlWithUndo(port: SysctlPort, undo: (step: () => unknown) => void): SysctlPort {
  return {
    get: (name) => port.get(name),
    async set(name, value) {
      const change = await port.set(name, value)
      const { previous } = change
      if (change.changed && previous !== undefined) undo(() => port.set(name, previous))
      return change
    },
  }
}
