/**
 * Write a CNI plugin: define it as data, run it with injected I/O in tests, and as a process with `pluginMain`.
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

export type { Verb } from '@cni/types'
export { attachmentName } from './attachment-name.ts'
export type { UndoStep } from './call/undo.ts'
export type {
  AttachmentState,
  NetworkState,
  StaleState,
  StateDefinition,
  WritableState,
} from './call-state.ts'
// Context
export type {
  AddContext,
  AttachmentContext,
  CallContext,
  CheckContext,
  DelContext,
  GcContext,
  StatusContext,
} from './context.ts'
// Run
export type { NetnsPort, PluginIo, PluginOutcome } from './io.ts'
// Log
export type { Log, LogFields, LogLevel, LogOptions, LogSink } from './log.ts'
export type { Describer } from './main/command-line.ts'
export { type PluginMainOptions, pluginMain } from './main/plugin-main.ts'
export { type PluginSource, pluginsMain } from './main/plugins-main.ts'
// Define
export { definePlugin, type LogRequest, type Plugin } from './plugin.ts'
export type { EnvVars } from './protocol/environment.ts'
export { runPlugin } from './run.ts'
export { type NetConfOptions, type NetConfSchema, netConf, type StandardMembers } from './schema/net-conf.ts'
export type { Removal } from './state/attachment-records.ts'
