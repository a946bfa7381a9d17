import { existsSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { needPackage } from '../find-package.ts'

/** The modules of the small runtime that a program is bundled with: sources of the package `@cni/runtime`. */
export interface Platform {
  /** The version of the runtime, `process.versions.cni`. */
  version: string
  /** The first module of every program: it takes the native program's object and makes the globals. */
  first: string
  folder: string
  /** The file of a Node module, with or without `node:`; `undefined` if the platform has no such module. */
  fileOf(name: string): string | undefined
}

/** @throws BuildError `NO_COMPILER` with the command that installs the package. */
export function findPlatform(): Platform {
  const { version, folder } = needPackage('@cni/runtime')
  const source = join(folder, 'src')
  return {
    version,
    folder,
    first: join(source, 'platform.ts'),
    fileOf(name) {
      const plain = name.replace(/^node:/, '')
      const file = join(source, 'node', `${plain}.ts`)
      return isBuiltin(plain) && existsSync(file) ? file : undefined
    },
  }
}
