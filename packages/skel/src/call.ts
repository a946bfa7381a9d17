import type { Netns } from '@cni/netns/handle'
import type { PluginIo } from './io.ts'
import type { CallLog } from './log.ts'
import type { Plugin } from './plugin.ts'
import type { UndoStack } from './undo.ts'

/** One call while it runs. */
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
