import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

/** Helm on the PATH, or in the folder of `CNI_PEERS`, if it is there. */
export function findHelm(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const folders = [...(env.PATH ?? '').split(':'), env.CNI_PEERS ?? ''].filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, 'helm')).find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    // looked for in the next folder
    return false
  }
}
