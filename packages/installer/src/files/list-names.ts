import { readdirSync } from 'node:fs'

/** Names of the files in a folder. Empty for an unreadable folder. */
export function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
