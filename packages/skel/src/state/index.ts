/**
 * What ADD keeps of an attachment for CHECK, DEL and GC: `attachmentState` for the definition of a plugin, which then
 * has `c.state`, and the store below it for whoever needs it without a call: an agent, a tool, a repair.
 *
 * @example
 * ```ts
 * import { definePlugin } from '@cni/skel'
 * import { attachmentState, attachmentStore } from '@cni/skel/state'
 * import * as z from 'zod/mini'
 *
 * const plugin = definePlugin({
 *   name: 'tag',
 *   state: attachmentState(z.object({ mark: z.int() })),
 *   add(c) {
 *     c.state.write({ mark: 1337 })
 *     return c.prevResult ?? {}
 *   },
 * })
 *
 * const store = attachmentStore({ folder: '/run/cni/tag', schema: z.object({ mark: z.int() }) })
 * for (const { key, state } of store.list().stored) console.error(key.containerID, state.mark)
 * ```
 *
 * @module
 */

export type { AttachmentKey } from './attachment-key.ts'
export { attachmentState, type StateOptions } from './attachment-state.ts'
export { type AttachmentStoreOptions, attachmentStore } from './attachment-store.ts'
export { diskFolder } from './disk-folder.ts'
export { type NetnsIdentity, type RecordedNetns, sharedReason, unrecordedReason } from './kept-reasons.ts'
export type { AttachmentStore, Listed, StoredState, ValidKey } from './record-store.ts'
export { isStateError, StateError, type StateErrorCode } from './state-error.ts'
export type { StateFolder } from './state-folder.ts'
