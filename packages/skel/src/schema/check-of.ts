import type { ConfigCheck, ConfigSource } from '../schema-source.ts'

/** What checks a configuration, made or loaded now. */
export async function checkOf<Conf>(config: ConfigSource<Conf>): Promise<ConfigCheck<Conf>> {
  return typeof config === 'function' ? config() : config
}
