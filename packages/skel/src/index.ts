/**
 * Write a CNI plugin as an object. Test it with `runPlugin`, and run it with `pluginMain`.
 *
 * @example
 * ```ts
 * import { definePlugin, netConf, runPlugin } from '@cni/skel'
 * import * as z from 'zod/mini'
 *
 * const plugin = definePlugin({
 *   name: 'tag',
 *   chained: true,
 *   config: netConf({ tag: z.string() }),
 *   add(c) {
 *     c.log.info('tagged', { tag: c.conf.tag })
 *     return c.prevResult
 *   },
 * })
 *
 * const { stdout } = await runPlugin(plugin, { env: { CNI_COMMAND: 'VERSION' }, stdin: () => '' })
 * ```
 *
 * @module
 */

export { attachmentName } from './attachment-name.ts'
export type { RuntimeConfig } from './capabilities/capability-schemas.ts'
export { runtimeConfig } from './capabilities/runtime-config.ts'
export type { PluginMainOptions } from './command-line.ts'
export type {
  AddContext,
  AttachmentContext,
  CallContext,
  CheckContext,
  DelContext,
  GcContext,
  StatusContext,
} from './definition/context.ts'
export { definePlugin, type Plugin } from './definition/plugin.ts'
export { describe } from './describe/describe.ts'
export { fileSink } from './file-sink/file-sink.ts'
export type { NetnsPort, PluginIo, PluginOutcome } from './io.ts'
export type { Log, LogFields, LogOptions, LogSink } from './log.ts'
export { pluginMain } from './main/plugin-main.ts'
export { pluginsMain } from './main/plugins-main.ts'
export { recover } from './middleware/recover.ts'
export { span } from './middleware/span.ts'
export { timeout } from './middleware/timeout.ts'
export { type Middleware, use } from './middleware/use.ts'
export { runPlugin } from './run.ts'
export { netConf, type StandardMembers } from './schema/net-conf.ts'
// State
export type { AttachmentKey } from './state/attachment-key.ts'
export { attachmentState } from './state/attachment-state.ts'
export { attachmentStore } from './state/attachment-store.ts'
export type {
  AttachmentState,
  DeclaredState,
  NetworkState,
  StateDefinition,
} from './state/call-state.ts'
export { diskFolder } from './state/disk-folder.ts'
export { type RecordedNetns, sharedReason, unrecordedReason } from './state/keep-reasons.ts'
export type { AttachmentStore } from './state/record-store.ts'
export { isStateError, StateError } from './state/state-error.ts'
export type { StateFolder } from './state/state-folder.ts'
// Exports for installers: files that still need an uninstalled plugin, and the marker file next to the plugin's
// executable
export { isMarked, markerPath } from './uninstalled/marked.ts'
export { markerText, type NeedFolders } from './uninstalled/marker.ts'
export { findNeeds, type Need } from './uninstalled/needs.ts'
