import { existsSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { needPackage } from '../tools/find-package.ts'

/** Modules of the small runtime that are bundled with a program: sources of the package `@cni/runtime`. */
export interface Platform {
  /** Version of the runtime, `process.versions.cni`. */
  version: string
  /** First module of every program: receives the native program's object and defines the globals. */
  first: string
  folder: string
  /** File of each global that is bundled only if the program names the global. */
  globals: ReadonlyMap<string, string>
  /** File of a Node module, with or without `node:`. `undefined` if the platform lacks the module. */
  fileOf(name: string): string | undefined
}

/**
 * Finds the platform in the installed package.
 *
 * @throws BuildError `NO_COMPILER` with the command that installs the package
 */
export function findPlatform(): Platform {
  const { version, folder } = needPackage('@cni/runtime')
  const source = join(folder, 'src')
  const list = join(source, 'globals/on-demand.json')
  const table: Record<string, string> = existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : {}
  return {
    version,
    folder,
    first: join(source, 'platform.ts'),
    globals: new Map(Object.entries(table).map(([name, file]) => [name, join(source, 'globals', file)])),
    fileOf(name) {
      const plain = name.replace(/^node:/, '')
      if (!isBuiltin(plain)) return undefined
      // A module with submodules, such as `fs` with `fs/promises`, has a folder of its own.
      const files = [`${plain}.ts`, `${plain}/${plain}.ts`].map((file) => join(source, 'node', file))
      return files.find((file) => existsSync(file))
    },
  }
}
