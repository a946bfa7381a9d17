import { NetnsError } from '@cni/netns/handle'
import { decodeAttributes, eachAttribute } from '@cni/netns/netlink'
import { invalid } from '../nft-error.ts'
import type { Codec } from './codec.ts'
import { type AttributeWriter, written } from './writer.ts'

/** Netlink attribute: number, encoding of its value, and presence in requests and answers. */
export interface Field<T = unknown> {
  readonly type: number
  readonly codec: Codec<T>
  /**
   * Presence of the attribute in requests and in answers of the kernel. `always`: required in requests and answers.
   * `maybe`: optional in requests and answers. `reported`: always in answers, never in requests. `maybeReported`: optional in
   * answers, never in requests.
   */
  readonly presence: 'always' | 'maybe' | 'reported' | 'maybeReported'
  /**
   * Default value of the attribute. Requests contain even the default value, because the kernel always reports the
   * attribute.
   */
  readonly fallback?: T | undefined
}

/** Netlink attribute that is always present in the kernel's answers. */
export interface Always<T> extends Field<T> {
  readonly presence: 'always' | 'reported'
}

/** Netlink attribute that may be absent. */
export interface Maybe<T> extends Field<T> {
  readonly presence: 'maybe' | 'maybeReported'
}

/** Declared netlink attributes by name, in the order of the kernel's messages. */
export type Fields = Readonly<Record<string, Field>>

/** Declares a netlink attribute that requests must contain. */
export const must = <T>(type: number, codec: Codec<T>): Always<T> => ({ type, codec, presence: 'always' })

/** Declares an optional netlink attribute. */
export const may = <T>(type: number, codec: Codec<T>, fallback?: T): Maybe<T> => ({
  ...{ type, codec, presence: 'maybe', fallback },
})

/** Declares a netlink attribute that the kernel always reports and that requests never contain. */
export const reported = <T>(type: number, codec: Codec<T>): Always<T> => ({ type, codec, presence: 'reported' })

/** Declares a netlink attribute that the kernel may report and that requests never contain. */
export const maybeReported = <T>(type: number, codec: Codec<T>): Maybe<T> => ({
  type,
  codec,
  presence: 'maybeReported',
})

/** True if requests never contain the netlink attribute. */
export const isReadOnly = ({ presence }: Field): boolean => presence === 'reported' || presence === 'maybeReported'

type ValueOf<F> = F extends Field<infer T> ? T : never
type Flat<T> = { [K in keyof T]: T[K] }

/** Type of the decoded values of declared netlink attributes. */
export type Values<F> = Flat<
  { readonly [K in keyof F as F[K] extends Always<unknown> ? K : never]: ValueOf<F[K]> } & {
    readonly [K in keyof F as F[K] extends Maybe<unknown> ? K : never]?: ValueOf<F[K]>
  }
>

/** Type of declared netlink attributes, derived from the type `V` of their decoded values. */
export type FieldsOf<V> = {
  readonly [K in keyof V]-?: Record<never, never> extends Pick<V, K> ? Maybe<Exclude<V[K], undefined>> : Always<V[K]>
}

/** Writes values as netlink attributes. Throws `NftError('INVALID')`; `where` begins the message. */
export function writeFields(writer: AttributeWriter, fields: Fields, given: object, where: string): void {
  for (const { key, type, codec, presence, fallback } of indexOf(fields).list) {
    const value: unknown = Reflect.get(given, key) ?? fallback
    if (value === undefined) {
      if (presence === 'always') refuse(where, key, codec, value)
    } else if ((presence === 'always' || presence === 'maybe') && !codec.write(writer, type, value)) {
      refuse(where, key, codec, value)
    }
  }
}

/**
 * Encodes a value of a netlink attribute, without the attribute's header. Throws `NftError('INVALID')`; `where` begins
 * the message.
 */
export function valueBytes<T>(codec: Codec<T>, value: T, where: string): Buffer {
  const attribute = written((writer) => {
    if (!codec.write(writer, 0, value)) refuse(where, '', codec, value)
  })
  return attribute.subarray(4, attribute.readUInt16LE(0))
}

function refuse(where: string, key: string, { expected }: Codec<unknown>, value: unknown): never {
  const shown = typeof value === 'bigint' ? `${value}n` : (JSON.stringify(value) ?? String(value))
  return invalid(`${where}${key && ` ${key}`}: expected ${expected}, got ${shown}`)
}

/** Decoded values of netlink attributes. `exact` is true if encoding the values would give the same attributes. */
interface ReadFields<F> {
  readonly values: Partial<Values<F>>
  readonly exact: boolean
}

/** Decodes all valid netlink attributes of a message. Omits values that equal their default. */
export function readFields<F extends Fields>(fields: F, bytes: Buffer, start?: number): ReadFields<F> {
  const values: Record<string, unknown> = {}
  let exact = true
  const { always, usual, byType } = indexOf(fields)
  eachAttribute(bytes, start ?? 0, (type, content) => {
    const field = byType.get(type)
    const value = field?.codec.decode(content)
    if (field === undefined || value === undefined || field.key in values) exact = false
    else values[field.key] = value
  })
  for (const key of always) if (!(key in values)) exact = false
  for (const { key, fallback } of usual) if (values[key] === fallback) delete values[key]
  // The type cast is safe, because `Values<F>` is derived from the declaration with which the values were decoded.
  return { values: values as Partial<Values<F>>, exact }
}

interface NamedField extends Field {
  readonly key: string
}

interface FieldIndex {
  readonly list: readonly NamedField[]
  readonly byType: ReadonlyMap<number, NamedField>
  /** Names of the declared attributes that requests must contain. */
  readonly always: readonly string[]
  /** Names of the declared attributes that every answer of the kernel contains. */
  readonly needed: readonly string[]
  /** Declared attributes that have a default value. */
  readonly usual: readonly NamedField[]
}

const indexes = new WeakMap<Fields, FieldIndex>()

/** Declares netlink attributes. Builds their index at once, so that the V8 heap snapshot contains the index. */
export function indexed<const F extends Fields>(fields: F): F {
  indexOf(fields)
  return fields
}

/** Index of declared netlink attributes by number. Built once for each declaration. */
export function indexOf(fields: Fields): FieldIndex {
  const known = indexes.get(fields)
  if (known !== undefined) return known
  const list: NamedField[] = []
  const byType = new Map<number, NamedField>()
  for (const key in fields) {
    const field = fields[key]
    if (field === undefined) continue
    const { type, codec, presence, fallback } = field
    const named = { key, type, codec, presence, fallback }
    list.push(named)
    byType.set(type, named)
  }
  const keysOf = (...presences: readonly Field['presence'][]) =>
    list.filter(({ presence }) => presences.includes(presence)).map(({ key }) => key)
  const usual = list.filter(({ fallback }) => fallback !== undefined)
  const index = { list, byType, usual, always: keysOf('always'), needed: keysOf('always', 'reported') }
  indexes.set(fields, index)
  return index
}

/** Decodes the netlink attributes of a message. Throws `NetnsError('PROTOCOL')` if a required attribute is missing. */
export function decodeFields<F extends Fields>(fields: F, bytes: Buffer, start?: number): Values<F> {
  const { values } = readFields(fields, bytes, start)
  for (const key of indexOf(fields).needed)
    if (!(key in values)) throw new NetnsError('PROTOCOL', `Bad answer: no ${key}`)
  return values as Values<F>
}

/** Encoding of a netlink attribute that contains other attributes. */
export function nested<const F extends Fields>(fields: F, what = ''): Codec<Values<F>> {
  indexOf(fields)
  return {
    expected: 'an object',
    write(writer, type, value) {
      const at = writer.open(type)
      writeFields(writer, fields, value, what)
      writer.close(at)
      return true
    },
    decode: (bytes) => decodeFields(fields, bytes),
  }
}

const NFTA_LIST_ELEM = 1

/** Encoding of a netlink attribute that contains a list of attributes of one kind. */
export const listOf = <T>(codec: Codec<T>): Codec<readonly T[]> => ({
  expected: 'a list',
  write(writer, type, values) {
    const at = writer.open(type)
    const fits = values.every((value) => codec.write(writer, NFTA_LIST_ELEM, value))
    writer.close(at)
    return fits
  },
  decode: (bytes) =>
    decodeAttributes(bytes).flatMap(([, element]) => {
      const value = codec.decode(element)
      return value === undefined ? [] : [value]
    }),
})
