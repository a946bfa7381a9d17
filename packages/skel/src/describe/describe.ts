import type { Plugin } from '../definition/plugin.ts'
import { helpText } from './help.ts'
import { jsonSchema } from './json-schema.ts'

/**
 * Creates the texts of `--help` and `--schema` from the plugin's definition. Pass this function to `pluginMain`.
 *
 * @example
 * ```ts
 * pluginMain(plugin, { describe })
 * ```
 */
export async function describe(plugin: Plugin, what: 'help' | 'schema'): Promise<string> {
  return what === 'help' ? helpText(plugin) : `${JSON.stringify(await jsonSchema(plugin), null, 2)}\n`
}
