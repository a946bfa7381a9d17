import type { UncheckedNetConf } from '@cni/types'
import type { core } from 'zod/mini'
import type { Log } from '../log.ts'
import { tellUnknown } from './tell-unknown.ts'
import { validateConfig } from './validate.ts'

/**
 * The configuration as a schema makes it, with the log lines and the errors of a call that checks it: for a daemon that
 * does so in the place of its plugin. `document` is what `normalizeNetConf` of `@cni/types` makes of stdin.
 *
 * @throws `CniError` 7 that names each wrong member, what is expected of it and what it is.
 */
export async function checkConfig<Conf>(
  schema: core.$ZodType<Conf>,
  document: UncheckedNetConf,
  log: Pick<Log, 'debug' | 'warn'>,
): Promise<Conf> {
  const conf = await validateConfig(schema, document)
  tellUnknown(schema, document, log)
  return conf
}
