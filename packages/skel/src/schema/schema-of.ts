import type { core } from 'zod/mini'
import { isSchema } from '../definition/check-definition.ts'
import { unexpected } from '../definition/checks.ts'
import type { Plugin } from '../plugin.ts'

/**
 * The schema of the configuration, made or loaded now if the plugin says how.
 *
 * @throws TypeError when what was made is none: the configuration would pass unchecked.
 */
export async function schemaOf<Conf>({
  name,
  config,
}: Pick<Plugin<Conf>, 'name' | 'config'>): Promise<core.$ZodType<Conf> | undefined> {
  if (typeof config !== 'function') return config
  const made = await config()
  if (isSchema(made)) return made
  throw unexpected(`${name}: config`, 'a zod 4 schema', made)
}
