import { StateError } from '../state/state-error.ts'
import type { StateFolder } from '../state/state-folder.ts'

/**
 * Creates a folder of state files in memory. A test can put files into `files` as ADD would write them.
 *
 * @example
 * ```ts
 * const state = memoryStateFolder()
 * await testPlugin(plugin, { state }).add()
 * const [record] = [...state.files.values()].map((text) => JSON.parse(String(text)))
 * ```
 */
export function memoryStateFolder(path = '/run/cni/test'): StateFolder & {
  /** Texts of the state files by file name. An `Error` makes the read of its file fail. */
  readonly files: Map<string, string | StateError>
} {
  const files = new Map<string, string | StateError>()
  return {
    path,
    files,
    read(name) {
      const found = files.get(name)
      if (found instanceof StateError) throw found
      return found
    },
    write: (name, text) => void files.set(name, text),
    remove: (name) => files.delete(name),
    list: () => [...files.keys()].sort(),
    sweep() {},
  }
}
