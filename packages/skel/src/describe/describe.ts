import type { PluginMainOptions } from '../command-line.ts'
import { helpText } from './help.ts'
import { jsonSchema } from './json-schema.ts'

/**
 * For `pluginMain`: answers `--help` and `--schema` from the plugin's definition.
 *
 * @example
 * ```ts
 * pluginMain(plugin, { describe })
 * ```
 */
export const describe: Required<PluginMainOptions>['describe'] = {
  help: helpText,
  schema: async (plugin) => `${JSON.stringify(await jsonSchema(plugin), null, 2)}\n`,
}
