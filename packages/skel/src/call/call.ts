import type { Netns } from '@cni/netns/handle'
import type { Plugin } from '../definition/plugin.ts'
import type { PluginIo } from '../io.ts'
import type { CallLog } from './call-log.ts'
import type { UndoStack } from './undo.ts'

/** One running call of the protocol. Its input is not validated. */
export interface Call {
  readonly plugin: Plugin
  readonly io: PluginIo
  readonly log: CallLog
  readonly signal: AbortSignal
  readonly undo: UndoStack
  /** Namespace handles that are closed at the end of the call. */
  readonly opened: Netns[]
  /** The handler's resources that are disposed at the end of the call. */
  readonly held: Disposable[]
  /**
   * Version of the configuration; `undefined` until the configuration is parsed. Error documents contain this version.
   */
  cniVersion: string | undefined
  /** File of an uninstalled plugin. The last DEL removes the file. */
  readonly uninstalled: string | undefined
}
