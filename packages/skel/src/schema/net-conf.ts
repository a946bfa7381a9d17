import * as z from 'zod/mini'
import { unexpected } from '../definition/checks.ts'

/** What {@link netConf} makes of members it does not know. */
export interface NetConfOptions {
  /** Default: `keep`. With `refuse` ADD, CHECK, GC and STATUS fail with code 7 that names each of them. */
  readonly unknown?: 'keep' | 'refuse'
}

const keeping = <const Shape extends z.core.$ZodShape>(shape: Shape) => z.extend(z.looseObject(standardMembers), shape)
const refusing = <const Shape extends z.core.$ZodShape>(shape: Shape) =>
  z.extend(z.strictObject(standardMembers), shape)

/**
 * The schema of a plugin's configuration: the given members, the standard CNI ones, and any other. Members nobody
 * knows are kept and logged at debug: a runtime may add its own. One that is probably a misspelling of a
 * known member is a warning.
 *
 * @throws TypeError for an option that is none.
 * @example
 * ```ts
 * netConf({ port: z.int().check(z.positive()), exempt_uid: z.optional(z.int()) })
 * netConf({ port: z.int() }, { unknown: 'refuse' }) // prot: unknown member, did you mean port?
 * ```
 */
export function netConf<const Shape extends z.core.$ZodShape>(
  shape: Shape,
  options: NetConfOptions & { readonly unknown: 'refuse' },
): ReturnType<typeof refusing<Shape>>
export function netConf<const Shape extends z.core.$ZodShape>(
  shape: Shape,
  options?: NetConfOptions,
): ReturnType<typeof keeping<Shape>>
export function netConf(shape: z.core.$ZodShape, { unknown = 'keep' }: NetConfOptions = {}): z.core.$ZodObject {
  if (unknown === 'keep') return keeping(shape)
  if (unknown === 'refuse') return refusing(shape)
  throw unexpected('netConf: unknown', 'keep or refuse', unknown)
}

/** Of the kinds that stand more than once, one each: to make one takes 10 µs. */
const kinds = {
  text: once(() => z.optional(z.string())),
  members: once(() => z.optional(z.record(z.string(), z.unknown()))),
}

/** Getters, which zod reads at the first validation: VERSION needs none of them, and they cost it 0.5 ms. */
const standardMembers = {
  get cniVersion() {
    return kinds.text()
  },
  get name() {
    return z.string()
  },
  get type() {
    return kinds.text()
  },
  get capabilities() {
    return z.optional(z.record(z.string(), z.boolean()))
  },
  get runtimeConfig() {
    return kinds.members()
  },
  get args() {
    return kinds.members()
  },
  get ipMasq() {
    return z.optional(z.boolean())
  },
  get ipam() {
    return z.optional(z.looseObject({ type: kinds.text() }))
  },
  get dns() {
    const list = z.optional(z.array(z.string()))
    return z.optional(z.looseObject({ nameservers: list, domain: kinds.text(), search: list, options: list }))
  },
  get prevResult() {
    return z.optional(z.unknown())
  },
}

function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => {
    made ??= make()
    return made
  }
}
