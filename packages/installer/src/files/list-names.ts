import { readdirSync } from 'node:fs'

/**
 * Names of the files in a folder; empty if the folder is missing or unreadable. The caller reports such a folder in
 * another step.
 */
export function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
