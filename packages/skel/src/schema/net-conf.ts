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
  return z.extend(z.looseObject(standardMembers()), shape)
}

// Shared members: each schema object costs about 30 µs in a process that lives for milliseconds.
function standardMembers() {
  const text = z.optional(z.string())
  const list = z.optional(z.array(z.string()))
  const unknown = z.unknown()
  const object = z.optional(z.record(z.string(), unknown))
  return {
    cniVersion: text,
    name: z.string(),
    type: text,
    capabilities: z.optional(z.record(z.string(), z.boolean())),
    runtimeConfig: object,
    args: object,
    ipMasq: z.optional(z.boolean()),
    ipam: z.optional(z.looseObject({ type: text })),
    dns: z.optional(z.looseObject({ nameservers: list, domain: text, search: list, options: list })),
    prevResult: z.optional(unknown),
  }
}
