import { existsSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { needPackage } from '../tools/find-package.ts'

/**
 * JavaScript part of the small runtime (QuickJS), from the package `@cni/runtime`. Its modules are bundled with the
 * program.
 */
export interface Platform {
  /** Version of the small runtime, which programs read as `process.versions.cni`. */
  version: string
  /** Path of the module that every executable evaluates first, to define the basic globals. */
  first: string
  folder: string
  /** Map from a global's name to the file that defines the global. Only files of used globals are bundled. */
  globals: ReadonlyMap<string, string>
  /** Finds the file that implements the Node module `name`, such as `node:fs`. */
  fileOf(name: string): string | undefined
}

/**
 * Finds the small runtime's modules in the installed package `@cni/runtime`.
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
      // The file of a Node module is `os.ts`, or `fs/fs.ts` if the module has submodules such as `fs/promises`.
      const files = [`${plain}.ts`, `${plain}/${plain}.ts`].map((file) => join(source, 'node', file))
      return files.find((file) => existsSync(file))
    },
  }
}
