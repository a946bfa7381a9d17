import { StateError } from '../state/state-error.ts'
import type { StateFolder } from '../state/state-folder.ts'

/**
 * A folder for the state of attachments that is gone with the test. What the test puts into `files` stands where ADD's would.
 *
 * @example
 * ```ts
 * const state = memoryStateFolder()
 * await testPlugin(plugin, { state }).add()
 * const [record] = [...state.files.values()].map((text) => JSON.parse(String(text)))
 * ```
 */
export function memoryStateFolder(path = '/run/cni/test'): StateFolder & {
  /** The texts by file name; an error is thrown by whoever reads the file. */
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
