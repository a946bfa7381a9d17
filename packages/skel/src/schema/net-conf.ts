import * as z from 'zod/mini'
import { unexpected } from '../checks.ts'

/**
 * The schema of a plugin's configuration: the given members, the standard CNI ones, and any other. Unknown members
 * are kept and logged at debug: a runtime may add its own. A member that is probably a misspelling of a known one is
 * a warning. To read a member, declare it: `z.optional(z.unknown())` accepts any value. The type has no index signature,
 * so that a misspelt member of `c.conf` does not compile.
 *
 * @param options - with `unknown: 'refuse'` ADD, CHECK, GC and STATUS fail with code 7 that names each unknown member.
 * @throws TypeError for an unknown option.
 * @example
 * ```ts
 * netConf({ port: z.int().check(z.positive()), exempt_uid: z.optional(z.int()) })
 * netConf({ port: z.int() }, { unknown: 'refuse' }) // prot: unknown member, did you mean port?
 * ```
 */
export function netConf<const Shape extends z.core.$ZodShape>(
  shape: Shape,
  options: { readonly unknown?: 'keep' | 'refuse' } = {},
): z.ZodMiniObject<z.core.util.Extend<StandardMembers, z.core.util.Writeable<Shape>>> {
  const { unknown = 'keep' } = options
  if (unknown === 'keep') return z.extend(z.looseObject(standardMembers()), shape)
  if (unknown === 'refuse') return z.extend(z.strictObject(standardMembers()), shape)
  throw unexpected('netConf: unknown', 'keep or refuse', unknown)
}

/** The members that the CNI specification defines, as {@link netConf} checks them. */
export type StandardMembers = {
  /** The version of the specification that the configuration is written in. */
  cniVersion: z.ZodMiniOptional<z.ZodMiniString<string>>
  /** The name of the network, the same for all plugins of a list. */
  name: z.ZodMiniString<string>
  /** The file name of the plugin. */
  type: z.ZodMiniOptional<z.ZodMiniString<string>>
  /** The capabilities that the entry asks the runtime for. */
  capabilities: z.ZodMiniOptional<z.ZodMiniRecord<z.ZodMiniString<string>, z.ZodMiniBoolean<boolean>>>
  /** The values of those capabilities; `runtimeConfig(…)` declares them. */
  runtimeConfig: z.ZodMiniOptional<z.ZodMiniRecord<z.ZodMiniString<string>, z.ZodMiniUnknown>>
  /** Arguments by convention, `args.cni` above all. */
  args: z.ZodMiniOptional<z.ZodMiniRecord<z.ZodMiniString<string>, z.ZodMiniUnknown>>
  /** Asks for masquerading of what leaves the network. */
  ipMasq: z.ZodMiniOptional<z.ZodMiniBoolean<boolean>>
  /** The IPAM plugin, with members of its own. */
  ipam: z.ZodMiniOptional<
    z.ZodMiniObject<{
      /** The file name of the IPAM plugin. */
      type: z.ZodMiniOptional<z.ZodMiniString<string>>
    }>
  >
  /** Resolver settings for the container. */
  dns: z.ZodMiniOptional<
    z.ZodMiniObject<{
      /** Addresses of name servers. */
      nameservers: z.ZodMiniOptional<z.ZodMiniArray<z.ZodMiniString<string>>>
      /** The domain of short names. */
      domain: z.ZodMiniOptional<z.ZodMiniString<string>>
      /** Domains that are tried for short names, in order. */
      search: z.ZodMiniOptional<z.ZodMiniArray<z.ZodMiniString<string>>>
      /** Options of the resolver, as in `resolv.conf`. */
      options: z.ZodMiniOptional<z.ZodMiniArray<z.ZodMiniString<string>>>
    }>
  >
  /** The result of the plugin before, as received; `c.prevResult` is its decoded form. */
  prevResult: z.ZodMiniOptional<z.ZodMiniUnknown>
}

function standardMembers(): StandardMembers {
  const text = z.optional(z.string())
  const texts = z.optional(z.array(z.string()))
  const members = z.optional(z.record(z.string(), z.unknown()))
  return {
    cniVersion: text,
    name: z.string(),
    type: text,
    capabilities: z.optional(z.record(z.string(), z.boolean())),
    runtimeConfig: members,
    args: members,
    ipMasq: z.optional(z.boolean()),
    ipam: z.optional(z.looseObject({ type: text })),
    dns: z.optional(z.looseObject({ nameservers: texts, domain: text, search: texts, options: texts })),
    prevResult: z.optional(z.unknown()),
  }
}
