import * as z from 'zod/mini'
import type { Plugin } from '../definition/plugin.ts'
import { netConf } from '../schema/net-conf.ts'
import { descriptionOf } from './description.ts'

/**
 * Creates the JSON Schema of the configuration that a plugin reads from stdin.
 *
 * @example
 * ```ts
 * writeFileSync('tag.schema.json', JSON.stringify(jsonSchema(plugin)))
 * ```
 */
export function jsonSchema(plugin: Plugin): z.core.JSONSchema.JSONSchema {
  const { name, about } = plugin
  const config = plugin.config ?? netConf({})
  // Accepts any value where JSON Schema has no equivalent for a zod schema, such as a transform.
  const { $schema, ...schema } = z.toJSONSchema(config, { io: 'input', unrepresentable: 'any' })
  const description = descriptionOf(config) ?? about
  return { ...($schema ? { $schema } : {}), title: name, ...(description ? { description } : {}), ...schema }
}
