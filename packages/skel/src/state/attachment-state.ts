import { messageOf, type ValidAttachment } from '@cni/types'
import type * as z from 'zod/v4/core'
import { unexpected } from '../checks.ts'
import type { AttachmentKey } from './attachment-key.ts'
import { attachmentStore } from './attachment-store.ts'
import type { CallState, StateCall, StateDefinition } from './call-state.ts'

/**
 * Declares the `state` of a plugin: an object that ADD stores for an attachment. CHECK, DEL and GC can use it later.
 *
 * @param schema - any zod 4 schema of the object, without asynchronous parts.
 * @param options - `folder`: absolute path of the folder with one file for each attachment. Default:
 *   `/run/cni/<name of the plugin>`, which a reboot empties. `version`: value of `v` in every file, 1 or higher.
 *   Default: 1. Files with another version are rejected.
 * @throws TypeError for an invalid folder or version.
 * @example
 * ```ts
 * const plugin = definePlugin({
 *   name: 'tag',
 *   state: attachmentState(z.object({ mark: z.int() })),
 *   add(c) {
 *     c.state.write({ mark: 1337 })
 *     return c.prevResult ?? {}
 *   },
 *   del: (c) => c.log.info('unmarked', { mark: c.state.read()?.mark }),
 * })
 * ```
 */
export function attachmentState<State>(
  schema: z.$ZodType<State>,
  options: { readonly folder?: string; readonly version?: number } = {},
): StateDefinition<State> {
  const { folder, version } = options
  if (folder !== undefined && !(typeof folder === 'string' && folder.startsWith('/'))) {
    throw unexpected('attachmentState: folder', 'an absolute path', folder)
  }
  if (version !== undefined && !(Number.isSafeInteger(version) && version > 0)) {
    throw unexpected('attachmentState: version', 'an integer from 1 on', version)
  }
  return {
    schema,
    open(call) {
      const path = folder ?? `/run/cni/${call.plugin}`
      return callState(call, { folder: call.folder?.(path) ?? path, schema, ...(version && { version }) })
    },
  }
}

function callState(call: StateCall, options: Parameters<typeof attachmentStore>[0]): CallState {
  const { network, containerID, ifName, log } = call
  const store = attachmentStore(options)
  const key = { network, containerID, ifName }
  const read = (): unknown => store.read(key)
  return {
    strict: { read, write: (state) => call.undo(store.write(key, state)) },
    tolerant: {
      read() {
        try {
          return read()
        } catch (error) {
          log.warn('the state of the attachment is unusable, going on without it', { reason: messageOf(error) })
          return undefined
        }
      },
    },
    ofNetwork: (valid) => ({
      stale() {
        if (valid === undefined) return []
        const { stored } = store.stale(network, valid.map(keyOf))
        return stored.map(({ key: { containerID, ifName }, state }) => ({ containerID, ifName, state }))
      },
    }),
    forget() {
      try {
        store.remove(key)
      } catch (error) {
        log.warn('the state of the attachment is left behind', { reason: messageOf(error) })
      }
    },
    sweep(valid) {
      if (valid === undefined) return
      const { stored, unreadable } = store.removeStale(network, valid.map(keyOf))
      for (const { key } of stored) log.info('the state of a stale attachment is removed', { ...key })
      for (const error of unreadable) log.warn('a state file is left alone', { reason: error.message })
    },
  }
}

const keyOf = ({ containerID, ifname }: ValidAttachment): Omit<AttachmentKey, 'network'> => ({
  containerID,
  ifName: ifname,
})
