import type { ToolIo } from '../io.ts'

/** Finds the ID of a user or group in a file such as `/etc/passwd`. */
export function idByName(system: ToolIo['system'], path: string, name: string): number | undefined {
  const id = readIfThere(system, path)
    .split('\n')
    .map((line) => line.split(':'))
    .find(([each]) => each === name && each !== '')?.[2]
  return id !== undefined && /^\d{1,10}$/.test(id) ? Number(id) : undefined
}

function readIfThere(system: ToolIo['system'], path: string): string {
  try {
    return system.readFile(path)
  } catch {
    return ''
  }
}
