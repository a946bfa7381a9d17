import * as z from 'zod/mini'
import { capabilitySchemas, type RuntimeConfig } from './capability-schemas.ts'

/**
 * Schema of `runtimeConfig` for a plugin that requests capabilities. Request them in the configuration, for example
 * with `"capabilities": { "portMappings": true }`.
 *
 * A missing list is empty, a missing rate is 0. Other missing members are `undefined`. Further members are kept, but
 * have no type.
 *
 * @example
 * ```ts
 * netConf({ runtimeConfig: runtimeConfig('portMappings', 'mac') })
 * // c.conf.runtimeConfig: Pick<RuntimeConfig, 'portMappings' | 'mac'>
 * ```
 */
export function runtimeConfig<const Name extends keyof RuntimeConfig>(
  ...names: readonly [Name, ...Name[]]
): z.ZodMiniPrefault<z.ZodMiniObject<{ [Each in Name]: z.ZodMiniType<RuntimeConfig[Each]> }>> {
  const shape = Object.fromEntries(names.map((name) => [name, capabilitySchemas[name]()]))
  // Casts the schema, because TypeScript cannot infer its members from the list of capability names.
  return z.prefault(z.looseObject(shape), {}) as unknown as ReturnType<typeof runtimeConfig<Name>>
}
