import * as z from 'zod/mini'
import { unexpected } from '../definition/checks.ts'

/** What {@link netConf} makes of members it does not know. */
export interface NetConfOptions {
  /** Default: `keep`. With `refuse` ADD, CHECK, GC and STATUS fail with code 7 that names each of them. */
  readonly unknown?: 'keep' | 'refuse'
}

/**
 * The schema that {@link netConf} makes: the given members and the standard ones. It has no index signature, so that a
 * misspelt member of `c.conf` does not compile. A member of that name in a configuration is still kept.
 */
export type NetConfSchema<Shape extends z.core.$ZodShape> = z.ZodMiniObject<
  z.core.util.Extend<StandardMembers, z.core.util.Writeable<Shape>>
>

/**
 * The schema of a plugin's configuration: the given members, the standard CNI ones, and any other. Unknown members
 * are kept and logged at debug: a runtime may add its own. A member that is probably a misspelling of a known one is
 * a warning. To read a member, declare it: `z.optional(z.unknown())` accepts any value.
 *
 * @throws TypeError for an unknown option.
 * @example
 * ```ts
 * netConf({ port: z.int().check(z.positive()), exempt_uid: z.optional(z.int()) })
 * netConf({ port: z.int() }, { unknown: 'refuse' }) // prot: unknown member, did you mean port?
 * ```
 */
export function netConf<const Shape extends z.core.$ZodShape>(
  shape: Shape,
  { unknown = 'keep' }: NetConfOptions = {},
): NetConfSchema<Shape> {
  if (unknown === 'keep') return z.extend(z.looseObject(standardMembers()), shape)
  if (unknown === 'refuse') return z.extend(z.strictObject(standardMembers()), shape)
  throw unexpected('netConf: unknown', 'keep or refuse', unknown)
}

type Text = z.ZodMiniOptional<z.ZodMiniString<string>>
type Texts = z.ZodMiniOptional<z.ZodMiniArray<z.ZodMiniString<string>>>
type AnyMembers = z.ZodMiniOptional<z.ZodMiniRecord<z.ZodMiniString<string>, z.ZodMiniUnknown>>

/** The members that the CNI specification defines, as {@link netConf} checks them. */
export type StandardMembers = {
  /** The version of the specification that the configuration is written in. */
  cniVersion: Text
  /** The name of the network, the same for all plugins of a list. */
  name: z.ZodMiniString<string>
  /** The file name of the plugin. */
  type: Text
  /** The capabilities that the entry asks the runtime for. */
  capabilities: z.ZodMiniOptional<z.ZodMiniRecord<z.ZodMiniString<string>, z.ZodMiniBoolean<boolean>>>
  /** The values of those capabilities; `runtimeConfig(…)` of `@cni/skel/capabilities` declares them. */
  runtimeConfig: AnyMembers
  /** Arguments by convention, `args.cni` above all. */
  args: AnyMembers
  /** Asks for masquerading of what leaves the network. */
  ipMasq: z.ZodMiniOptional<z.ZodMiniBoolean<boolean>>
  /** The IPAM plugin, with members of its own. */
  ipam: z.ZodMiniOptional<
    z.ZodMiniObject<{
      /** The file name of the IPAM plugin. */
      type: Text
    }>
  >
  /** Resolver settings for the container. */
  dns: z.ZodMiniOptional<
    z.ZodMiniObject<{
      /** Addresses of name servers. */
      nameservers: Texts
      /** The domain of short names. */
      domain: Text
      /** Domains that are tried for short names, in order. */
      search: Texts
      /** Options of the resolver, as in `resolv.conf`. */
      options: Texts
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
