import { copyFileSync } from 'node:fs'
import { join } from 'node:path'

/** Installs the built IPAM plugin in a folder where a container runtime finds it. */
export function install(folder: string) {
  copyFileSync('dist/@NAME@', join(folder, '@NAME@'))
}
