import { NetnsError } from '@cni/netns/handle'
import { decodeAttributes } from '@cni/netns/netlink'
import type { Codec } from './codec.ts'
import { invalid } from './nft-error.ts'
import { type AttributeWriter, written } from './writer.ts'

/** An attribute: its number, its form, and whether it is there. */
export interface Field<T = unknown> {
  readonly type: number
  readonly codec: Codec<T>
  /** `told`: the kernel tells it, and does not take it; `hinted`: it may. */
  readonly presence: 'always' | 'maybe' | 'told' | 'hinted'
  /** What it is when it is not named; always sent, as the kernel always tells it. */
  readonly fallback?: T
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
  ...{ type, codec, presence: 'maybe' },
  ...(fallback === undefined ? {} : { fallback }),
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

/** Writes the attributes that say it. Throws `NftError('INVALID')`, beginning with `where`. */
export function writeFields(writer: AttributeWriter, fields: Fields, given: object, where: string): void {
  for (const [key, field] of indexOf(fields).list) {
    const { codec, presence, fallback } = field
    const value: unknown = Reflect.get(given, key) ?? fallback
    if (value === undefined ? presence !== 'always' : isTold(field)) continue
    const at = writer.open(field.type)
    if (value === undefined || !codec.write(writer, value)) {
      invalid(`${where} ${key}: expected ${codec.expected}, got ${shown(value)}`)
    }
    writer.close(at)
  }
}

/** A value alone, as bytes. Throws `NftError('INVALID')`, beginning with `where`. */
export function valueBytes<T>(codec: Codec<T>, value: T, where: string): Buffer {
  return written((writer) => {
    if (!codec.write(writer, value)) invalid(`${where}: expected ${codec.expected}, got ${shown(value)}`)
  })
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
  const { list, byType } = indexOf(fields)
  for (const [type, content] of decodeAttributes(bytes, start)) {
    const [key, field] = byType.get(type) ?? []
    const value = field?.codec.decode(content)
    if (key === undefined || value === undefined || key in values) exact = false
    else values[key] = value
  }
  for (const [key, { presence, fallback }] of list) {
    if (presence === 'always' && !(key in values)) exact = false
    if (fallback !== undefined && values[key] === fallback) delete values[key]
  }
  // The parse boundary: the table that the values were read by is the one that the type is made of.
  return { values: values as Partial<Values<F>>, exact }
}

type Named = readonly [key: string, field: Field]

interface FieldIndex {
  readonly list: readonly Named[]
  readonly byType: ReadonlyMap<number, Named>
}

const indexes = new WeakMap<Fields, FieldIndex>()

/** Made once for each table: the same is asked thousands of times over. */
export function indexOf(fields: Fields): FieldIndex {
  const known = indexes.get(fields)
  if (known !== undefined) return known
  const list: Named[] = Object.entries(fields)
  const index = { list, byType: new Map(list.map((named) => [named[1].type, named])) }
  indexes.set(fields, index)
  return index
}

/** Reads what has to be there. Throws `NetnsError('PROTOCOL')` when it is not. */
export function decodeFields<F extends Fields>(fields: F, bytes: Buffer, start?: number): Values<F> {
  const { values } = readFields(fields, bytes, start)
  for (const [key, { presence }] of indexOf(fields).list) {
    const needed = presence === 'always' || presence === 'told'
    if (needed && !(key in values)) throw new NetnsError('PROTOCOL', `Bad answer: no ${key}`)
  }
  return values as Values<F>
}

/** Attributes in an attribute. */
export const nested = <const F extends Fields>(fields: F, what = ''): Codec<Values<F>> => ({
  expected: 'an object',
  write(writer, value) {
    writeFields(writer, fields, value, what)
    return true
  },
  decode: (bytes) => decodeFields(fields, bytes),
})

const NFTA_LIST_ELEM = 1

/** Again and again the same. */
export const listOf = <T>(codec: Codec<T>): Codec<readonly T[]> => ({
  expected: 'a list',
  write: (writer, values) =>
    values.every((value) => {
      const at = writer.open(NFTA_LIST_ELEM)
      const fits = codec.write(writer, value)
      writer.close(at)
      return fits
    }),
  decode: (bytes) =>
    decodeAttributes(bytes).flatMap(([, element]) => {
      const value = codec.decode(element)
      return value === undefined ? [] : [value]
    }),
})

function shown(value: unknown): string {
  return typeof value === 'bigint' ? `${value}n` : (JSON.stringify(value) ?? String(value))
}
