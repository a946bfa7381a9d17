import type { core } from 'zod/mini'
import { describeIssues } from '../schema/issues.ts'
import { type AttachmentStore, recordStore } from './record-store.ts'
import type { StateFolder } from './state-folder.ts'

/**
 * Stores the state of attachments for CHECK, DEL and GC. Each attachment has one JSON file: `{ v, network, containerID,
 * ifName, …state }`. Rejects links, files that other users can write to, and files with another version.
 *
 * @example
 * ```ts
 * const store = attachmentStore({ folder: '/run/my-agent/attachments', schema: z.object({ mark: z.int() }) })
 * store.write({ network: 'pods', containerID: 'abc', ifName: 'eth0' }, { mark: 1337 })
 * ```
 */
export function attachmentStore<State>(options: {
  /** Absolute path of the folder with the state files, or a folder object, such as a folder in memory. */
  readonly folder: string | StateFolder
  /** Schema of the stored state, which is an object. Any zod 4 schema without asynchronous parts. */
  readonly schema: core.$ZodType<State>
  /**
   * Version of the state's format: the value of `v` in every file. Default: 1. Files with another version are rejected.
   */
  readonly version?: number
  /** True to check the text of each state file before writing the file. Default: true. */
  readonly readBack?: boolean
}): AttachmentStore<State> {
  const { folder, schema, version, readBack = true } = options

  const accept = (state: unknown, refuse: (problem: string) => Error): State => {
    const parsed = schema['~standard'].validate(state)
    if (parsed instanceof Promise) throw new TypeError('the schema of a state must not be asynchronous')
    if (parsed.issues === undefined) return parsed.value
    throw refuse(describeIssues(schema, parsed.issues as readonly core.$ZodIssue[], state, 'the state').join('; '))
  }
  return recordStore({ folder, version, readBack, accept })
}
