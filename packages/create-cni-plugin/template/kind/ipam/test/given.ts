import { copyFileSync } from 'node:fs'
import { join } from 'node:path'

/** Puts the built plugin into a folder, as a runtime finds it. */
export function install(folder: string) {
  copyFileSync('dist/@NAME@', join(folder, '@NAME@'))
}
