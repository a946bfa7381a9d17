import type { core } from 'zod/mini'
import type { Plugin } from '../plugin.ts'

/** The schema of the configuration, made or loaded now if the plugin says how. */
export async function schemaOf<Conf>({
  config,
}: Pick<Plugin<Conf>, 'config'>): Promise<core.$ZodType<Conf> | undefined> {
  return typeof config === 'function' ? config() : config
}
