import * as z from 'zod/mini'
import { capabilitySchemas, type RuntimeConfig } from './capability-schemas.ts'

/**
 * The schema of `runtimeConfig` for a plugin whose entry asks for these capabilities, as
 * `"capabilities": { "portMappings": true }` does. Lists that the runtime does not pass are empty, rates 0, the rest
 * `undefined`. Other members are kept, but have no type. A runtime passes nothing that the entry does not ask for. Members
 * are read by any spelling, as in Go.
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
  // Which names are in the shape only the type parameter knows.
  return z.prefault(z.looseObject(shape), {}) as unknown as ReturnType<typeof runtimeConfig<Name>>
}
