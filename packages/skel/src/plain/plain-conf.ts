import { isObject } from '@cni/types'
import {
  type Guard,
  type Guarded,
  isAnything,
  isFlag,
  isText,
  listOf,
  membersOf,
  objectOf,
  optional,
} from './guards.ts'

/** What {@link plainConf} vouches for. */
export type PlainConf<Shape> = {
  readonly [Member in Exclude<keyof typeof standard, keyof Shape>]: Guarded<(typeof standard)[Member]>
} & { readonly [Member in keyof Shape]: Guarded<Shape[Member]> }

/**
 * Vouches for a configuration that has no other members than these and those of the protocol, each as it should be: the
 * `plain` of a plugin's `config`. A member that it does not accept, however right, only costs the schema.
 *
 * @param members - what each may be; one that may be absent says so with `optional` or `nullish`.
 * @example
 * ```ts
 * import { integerIn, plainConf } from '@cni/skel/plain'
 *
 * export const isPlain = plainConf({ port: integerIn(1) })
 * ```
 */
export function plainConf<const Shape extends Readonly<Record<string, Guard<unknown>>>>(
  members: Shape,
): Guard<PlainConf<Shape>> {
  const known: Readonly<Record<string, Guard<unknown>>> = { ...standard, ...members }
  const names = Object.keys(known)
  return (value): value is PlainConf<Shape> =>
    isObject(value) &&
    Object.keys(value).every((name) => Object.hasOwn(known, name)) &&
    names.every((name) => known[name]?.(value[name]))
}

// internal

const texts = optional(listOf(isText))

/** As `netConf` has them, `null` left to it. */
const standard = {
  cniVersion: optional(isText),
  name: isText,
  type: optional(isText),
  capabilities: optional(membersOf(isFlag)),
  runtimeConfig: optional(membersOf(isAnything)),
  args: optional(membersOf(isAnything)),
  ipMasq: optional(isFlag),
  ipam: optional(objectOf({ type: optional(isText) })),
  dns: optional(objectOf({ nameservers: texts, domain: optional(isText), search: texts, options: texts })),
  prevResult: isAnything,
}
