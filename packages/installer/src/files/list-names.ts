import { readdirSync } from 'node:fs'

/** Names in a folder; empty if it is missing or unreadable, which other code reports. */
export function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
