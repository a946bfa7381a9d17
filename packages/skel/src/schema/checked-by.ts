import type { UncheckedNetConf } from '@cni/types'
import type { Log } from '../log.ts'
import type { ConfigCheck } from '../schema-source.ts'
import { schemaBehind } from './schema-of.ts'
import { tellUnknown } from './tell-unknown.ts'
import { validateConfig } from './validate.ts'

/** A configuration as a schema made it. */
export interface CheckedConf {
  readonly conf: unknown
  /** Logs the members that the schema does not know. */
  tellUnknown(log: Log): void
}

/**
 * Has the schema of a plugin check its configuration.
 *
 * @throws {@link CniError} 7 when its members are invalid.
 */
export async function checkedBy(
  plugin: string,
  check: ConfigCheck<unknown>,
  document: UncheckedNetConf,
): Promise<CheckedConf> {
  const schema = await schemaBehind(plugin, check)
  const conf = await validateConfig(schema, document)
  return { conf, tellUnknown: (log) => tellUnknown(schema, document, log) }
}
