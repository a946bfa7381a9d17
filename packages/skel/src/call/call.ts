import type { Netns } from '@cni/netns/handle'
import type { Plugin } from '../definition/plugin.ts'
import type { PluginIo } from '../io.ts'
import type { CallLog } from './call-log.ts'
import type { UndoStack } from './undo.ts'

/** One running CNI call, with input that is not validated yet. */
export interface Call {
  readonly plugin: Plugin
  readonly io: PluginIo
  readonly log: CallLog
  readonly signal: AbortSignal
  readonly undo: UndoStack
  /** Handles of open network namespaces, which are closed at the end of the CNI call. */
  readonly opened: Netns[]
  /** Resources that the handler has passed to `c.hold`. They are disposed at the end of the call. */
  readonly held: Disposable[]
  /**
   * CNI version of the configuration; `undefined` until the configuration is parsed. Error documents contain this
   * version.
   */
  cniVersion: string | undefined
  /** Path of the plugin's executable, set if the plugin is uninstalled. The last DEL removes the file. */
  readonly uninstalled: string | undefined
}
