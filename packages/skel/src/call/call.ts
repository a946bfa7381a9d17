import type { Netns } from '@cni/netns/handle'
import type { PluginIo } from '../io.ts'
import type { Plugin } from '../plugin.ts'
import type { CallLog } from './call-log.ts'
import type { UndoStack } from './undo.ts'

/** One call of the protocol while it runs, from its first moment on: nothing of it has been looked at. */
export interface Call {
  readonly plugin: Plugin
  readonly io: PluginIo
  readonly log: CallLog
  readonly signal: AbortSignal
  readonly undo: UndoStack
  /** Handles that are closed when the call is over. */
  readonly opened: Netns[]
  /** The configuration's version, once it is known: an error is written in it. */
  cniVersion: string | undefined
}
