import type { core } from 'zod/mini'
import { isPlainFirst, isSchema } from '../definition/check-definition.ts'
import { unexpected } from '../definition/checks.ts'
import type { Plugin } from '../plugin.ts'
import type { ConfigCheck, SchemaSource } from '../schema-source.ts'
import { checkOf } from './check-of.ts'

/**
 * The schema of the configuration, made or loaded now if the plugin says how.
 *
 * @throws TypeError when what was made is none: the configuration would pass unchecked.
 */
export async function schemaOf<Conf>({
  name,
  config,
}: Pick<Plugin<Conf>, 'name' | 'config'>): Promise<core.$ZodType<Conf> | undefined> {
  return config === undefined ? undefined : schemaBehind(name, await checkOf(config))
}

/** The schema of it. */
export function schemaBehind<Conf>(plugin: string, check: ConfigCheck<Conf>): Promise<core.$ZodType<Conf>> {
  const source = isPlainFirst(check) ? check.schema : check
  return schemaFrom(`${plugin}: config`, typeof source === 'function' ? source : () => source)
}

/**
 * The schema a definition gives or makes.
 *
 * @throws TypeError that begins with `what` when it is none.
 */
export async function schemaFrom<Value>(what: string, source: SchemaSource<Value>): Promise<core.$ZodType<Value>> {
  if (typeof source !== 'function') return source
  const made = await source()
  if (isSchema(made)) return made
  throw unexpected(what, 'a zod 4 schema', made)
}
