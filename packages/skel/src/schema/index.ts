/**
 * The schema of a plugin's configuration, alone: for a `config` that is loaded when a configuration has to be checked.
 *
 * @example
 * ```ts
 * // conf.ts; in the plugin: `config: async () => (await import('./conf.ts')).confSchema`
 * import { netConf } from '@cni/skel/schema'
 * import * as z from 'zod/mini'
 *
 * export const confSchema = netConf({ port: z.int() })
 * ```
 *
 * @module
 */

export { checkConfig } from './check-config.ts'
export { type NetConfOptions, type NetConfSchema, netConf, type StandardMembers } from './net-conf.ts'
