import * as z from 'zod/mini'
import { type CapabilityName, capabilitySchemas } from './capability-schemas.ts'

type Schemas = typeof capabilitySchemas

/**
 * An object with these members; `{}` when the runtime passes none. Others are kept, but have no type: a misspelt one
 * does not compile.
 */
type RuntimeConfig<Name extends CapabilityName> = z.ZodMiniPrefault<
  z.ZodMiniObject<{ [Each in Name]: ReturnType<Schemas[Each]> }>
>

/**
 * The schema of `runtimeConfig` for a plugin whose entry asks for these capabilities, as
 * `"capabilities": { "portMappings": true }` does. Lists that the runtime does not pass are empty, rates 0, the rest
 * `undefined`; a runtime passes nothing that the entry does not ask for. Members are read by any spelling, as in Go.
 *
 * @example
 * ```ts
 * netConf({ runtimeConfig: runtimeConfig('portMappings', 'mac') })
 * // c.conf.runtimeConfig: { portMappings: PortMapping[], mac?: string }
 * ```
 */
export function runtimeConfig<const Names extends readonly [CapabilityName, ...CapabilityName[]]>(
  ...names: Names
): RuntimeConfig<Names[number]> {
  const shape = Object.fromEntries(names.map((name) => [name, capabilitySchemas[name]()]))
  // Which names are in the shape only the type parameter knows.
  return z.prefault(z.looseObject(shape), {}) as unknown as RuntimeConfig<Names[number]>
}
