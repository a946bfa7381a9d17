import { readdirSync } from 'node:fs'

/** The names in a folder; none when it is missing or unreadable, which is reported where it matters. */
export function listNames(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
