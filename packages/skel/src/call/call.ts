import type { Netns } from '@cni/netns/handle'
import type { Plugin } from '../definition/plugin.ts'
import type { PluginIo } from '../io.ts'
import type { CallLog } from './call-log.ts'
import type { UndoStack } from './undo.ts'

/** One call of the protocol while it runs, from its start on. Nothing of it has been checked yet. */
export interface Call {
  readonly plugin: Plugin
  readonly io: PluginIo
  readonly log: CallLog
  readonly signal: AbortSignal
  readonly undo: UndoStack
  /** Handles that are closed when the call is over. */
  readonly opened: Netns[]
  /** Resources of the handler that are disposed when the call is over. */
  readonly held: Disposable[]
  /** The configuration's version once it is known; error documents are written in it. */
  cniVersion: string | undefined
  /** The file of a plugin that is uninstalled: it goes after the last DEL. */
  readonly uninstalled: string | undefined
}
