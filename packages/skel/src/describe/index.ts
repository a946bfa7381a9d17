/**
 * What an executable can say about its plugin: `--help` with its configuration and a list to try it in, and `--schema`.
 * A module of its own, because the export of schemas would be a third of a small plugin.
 *
 * @example
 * ```ts
 * import { definePlugin, netConf, pluginMain } from '@cni/skel'
 * import { describe } from '@cni/skel/describe'
 * import * as z from 'zod/mini'
 *
 * const plugin = definePlugin({
 *   name: 'tag',
 *   about: 'tags pods',
 *   config: netConf({ tag: z.string().check(z.describe('what to write')) }),
 *   add: (c) => c.prevResult ?? {},
 * })
 *
 * pluginMain(plugin, { describe })
 * ```
 *
 * @module
 */

export { describe } from './describe.ts'
export { helpText } from './help.ts'
export { jsonSchema } from './json-schema.ts'
