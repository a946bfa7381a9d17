import type { Describer } from '../main/command-line.ts'
import { helpText } from './help.ts'
import { jsonSchema } from './json-schema.ts'

/** For `pluginMain`: answers `--help` and `--schema` from the plugin's definition. */
export const describe: Describer = {
  help: helpText,
  schema: async (plugin) => `${JSON.stringify(await jsonSchema(plugin), null, 2)}\n`,
}
