import * as z from 'zod/mini'

/**
 * The schema of a plugin's configuration: the given members, the standard CNI ones, and any other. Members nobody
 * knows are kept and logged at debug: a runtime may add its own.
 *
 * @example
 * ```ts
 * netConf({ port: z.int().check(z.positive()), exempt_uid: z.optional(z.int()) })
 * ```
 */
export function netConf<const Shape extends z.core.$ZodShape>(shape: Shape) {
  return z.extend(z.looseObject(standardMembers), shape)
}

/** Getters, which zod reads at the first validation: VERSION needs none of them, and they cost it 0.5 ms. */
const standardMembers = {
  get cniVersion() {
    return z.optional(z.string())
  },
  get name() {
    return z.string()
  },
  get type() {
    return z.optional(z.string())
  },
  get capabilities() {
    return z.optional(z.record(z.string(), z.boolean()))
  },
  get runtimeConfig() {
    return z.optional(z.record(z.string(), z.unknown()))
  },
  get args() {
    return z.optional(z.record(z.string(), z.unknown()))
  },
  get ipMasq() {
    return z.optional(z.boolean())
  },
  get ipam() {
    return z.optional(z.looseObject({ type: z.optional(z.string()) }))
  },
  get dns() {
    const list = z.optional(z.array(z.string()))
    return z.optional(z.looseObject({ nameservers: list, domain: z.optional(z.string()), search: list, options: list }))
  },
  get prevResult() {
    return z.optional(z.unknown())
  },
}
