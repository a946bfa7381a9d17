import { NetnsError } from '@cni/netns/handle'
import { decodeAttributes, eachAttribute } from '@cni/netns/netlink'
import { invalid } from '../nft-error.ts'
import type { Codec } from './codec.ts'
import { type AttributeWriter, written } from './writer.ts'

/** An attribute: its number, its form, and whether it is there. */
export interface Field<T = unknown> {
  readonly type: number
  readonly codec: Codec<T>
  /** `told`: the kernel tells it, and does not take it; `hinted`: it may. */
  readonly presence: 'always' | 'maybe' | 'told' | 'hinted'
  /** What it is when it is not named; always sent, as the kernel always tells it. */
  readonly fallback?: T | undefined
}

/** One that is always there. */
export interface Always<T> extends Field<T> {
  readonly presence: 'always' | 'told'
}

/** One that may be there. */
export interface Maybe<T> extends Field<T> {
  readonly presence: 'maybe' | 'hinted'
}

/** Attributes by the names that we give them, in the order in which they are sent and told. */
export type Fields = Readonly<Record<string, Field>>

/** One that has to be there. */
export const must = <T>(type: number, codec: Codec<T>): Always<T> => ({ type, codec, presence: 'always' })

/** One that need not. */
export const may = <T>(type: number, codec: Codec<T>, fallback?: T): Maybe<T> => ({
  ...{ type, codec, presence: 'maybe', fallback },
})

/** One that is always told, and never sent. */
export const told = <T>(type: number, codec: Codec<T>): Always<T> => ({ type, codec, presence: 'told' })

/** One that may be told, and is never sent. */
export const hinted = <T>(type: number, codec: Codec<T>): Maybe<T> => ({ type, codec, presence: 'hinted' })

/** Whether it is never sent. */
export const isTold = ({ presence }: Field): boolean => presence === 'told' || presence === 'hinted'

type ValueOf<F> = F extends Field<infer T> ? T : never
type Flat<T> = { [K in keyof T]: T[K] }

/** What some attributes say. */
export type Values<F> = Flat<
  { readonly [K in keyof F as F[K] extends Always<unknown> ? K : never]: ValueOf<F[K]> } & {
    readonly [K in keyof F as F[K] extends Maybe<unknown> ? K : never]?: ValueOf<F[K]>
  }
>

/** Attributes by which these values are told. */
export type FieldsOf<V> = {
  readonly [K in keyof V]-?: Record<never, never> extends Pick<V, K> ? Maybe<Exclude<V[K], undefined>> : Always<V[K]>
}

/** Writes the attributes that say it. Throws `NftError('INVALID')`, beginning with `where`. */
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

/** A value alone, as bytes. Throws `NftError('INVALID')`, beginning with `where`. */
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

/** What attributes say, and whether that is all they say. */
interface ReadFields<F> {
  readonly values: Partial<Values<F>>
  readonly exact: boolean
}

/** Reads as many of them as can be read. What has its usual value is not named. */
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
  // The parse boundary: the table that the values were read by is the one that the type is made of.
  return { values: values as Partial<Values<F>>, exact }
}

interface Named extends Field {
  readonly key: string
}

interface FieldIndex {
  readonly list: readonly Named[]
  readonly byType: ReadonlyMap<number, Named>
  /** Names of what is always sent and told, and of what is always told. */
  readonly always: readonly string[]
  readonly needed: readonly string[]
  /** Those with a usual value. */
  readonly usual: readonly Named[]
}

const indexes = new WeakMap<Fields, FieldIndex>()

/** Makes the index of a table as its module is evaluated: an executable of the small runtime has it in its image. */
export function indexed<const F extends Fields>(fields: F): F {
  indexOf(fields)
  return fields
}

/** Made once for each table: the same is asked thousands of times over. */
export function indexOf(fields: Fields): FieldIndex {
  const known = indexes.get(fields)
  if (known !== undefined) return known
  const list: Named[] = []
  const byType = new Map<number, Named>()
  for (const key in fields) {
    const field = fields[key]
    if (field === undefined) continue
    const { type, codec, presence, fallback } = field
    const named = { key, type, codec, presence, fallback }
    list.push(named)
    byType.set(type, named)
  }
  const keysOf = (...wanted: readonly Field['presence'][]) =>
    list.filter(({ presence }) => wanted.includes(presence)).map(({ key }) => key)
  const usual = list.filter(({ fallback }) => fallback !== undefined)
  const index = { list, byType, usual, always: keysOf('always'), needed: keysOf('always', 'told') }
  indexes.set(fields, index)
  return index
}

/** Reads what has to be there. Throws `NetnsError('PROTOCOL')` when it is not. */
export function decodeFields<F extends Fields>(fields: F, bytes: Buffer, start?: number): Values<F> {
  const { values } = readFields(fields, bytes, start)
  for (const key of indexOf(fields).needed)
    if (!(key in values)) throw new NetnsError('PROTOCOL', `Bad answer: no ${key}`)
  return values as Values<F>
}

/** Attributes in an attribute. */
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

/** Again and again the same. */
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
