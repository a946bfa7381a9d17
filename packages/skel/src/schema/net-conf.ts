import * as z from 'zod/mini'
import { unexpected } from '../checks.ts'

/**
 * Creates the schema of a plugin's configuration. The schema has the given, the standard and unknown members.
 *
 * Unknown members are kept, because a container runtime may add its own. Probable misspellings are logged as warnings.
 * Declare each member that the plugin reads: `z.optional(z.unknown())` accepts any value.
 *
 * @param options - with `unknown: 'refuse'`, unknown members fail ADD, CHECK, GC and STATUS with code 7. The message
 *   names them.
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

/** Members that the CNI specification defines, as {@link netConf} validates them. */
export type StandardMembers = {
  /** Version of the CNI specification that the configuration uses. */
  cniVersion: z.ZodMiniOptional<z.ZodMiniString<string>>
  /** Name of the network, the same for all plugins of a list. */
  name: z.ZodMiniString<string>
  /** Type of the plugin: the file name of its executable. */
  type: z.ZodMiniOptional<z.ZodMiniString<string>>
  /** Capabilities that the plugin's configuration requests from the container runtime. */
  capabilities: z.ZodMiniOptional<z.ZodMiniRecord<z.ZodMiniString<string>, z.ZodMiniBoolean<boolean>>>
  /** Values that the container runtime passes for the requested capabilities. `runtimeConfig(…)` declares them. */
  runtimeConfig: z.ZodMiniOptional<z.ZodMiniRecord<z.ZodMiniString<string>, z.ZodMiniUnknown>>
  /** Arguments in the configuration by CNI convention, mainly `args.cni`. */
  args: z.ZodMiniOptional<z.ZodMiniRecord<z.ZodMiniString<string>, z.ZodMiniUnknown>>
  /** True if the plugin must masquerade traffic that leaves the network. */
  ipMasq: z.ZodMiniOptional<z.ZodMiniBoolean<boolean>>
  /** Configuration of the IPAM plugin. An IPAM plugin may define further members. */
  ipam: z.ZodMiniOptional<
    z.ZodMiniObject<{
      /** Type of the IPAM plugin: the file name of its executable. */
      type: z.ZodMiniOptional<z.ZodMiniString<string>>
    }>
  >
  /** DNS settings for the container. */
  dns: z.ZodMiniOptional<
    z.ZodMiniObject<{
      /** Addresses of DNS servers for the container. */
      nameservers: z.ZodMiniOptional<z.ZodMiniArray<z.ZodMiniString<string>>>
      /** Local DNS domain of the container, for short host names. */
      domain: z.ZodMiniOptional<z.ZodMiniString<string>>
      /** Search domains with which the container completes short host names, in order. */
      search: z.ZodMiniOptional<z.ZodMiniArray<z.ZodMiniString<string>>>
      /** Options of the DNS resolver, as in `resolv.conf`. */
      options: z.ZodMiniOptional<z.ZodMiniArray<z.ZodMiniString<string>>>
    }>
  >
  /** Result of the previous plugins, as received. Handlers get the decoded result as `c.prevResult`. */
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
