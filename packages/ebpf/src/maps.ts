import { type Codec, encode, u32 } from './codec.ts'
import { checkInteger, EbpfError } from './errors.ts'
import { checkName } from './object.ts'
import type { MapShape, RawMap, SetMode } from './raw-map.ts'

/** What a map is made with, the same for who makes it and who opens it; `M` is the open map. */
export interface MapSpec<M> extends MapShape {
  /** The typed calls of an open one. */
  open(raw: RawMap): M
}

/** What every open map has. Closed, the map stays where it is pinned or used. */
export interface OpenMap extends Disposable {
  readonly name: string
  /** For the instructions that refer to the map. Throws `EbpfError('CLOSED')`. */
  readonly fd: number
  /** The kernel's number of it. */
  readonly id: number
  /** Keeps it beyond this process. Throws `EbpfError`: `EXISTS`, `NOT_FOUND`, `NO_BPFFS`, `EPERM` … */
  pin(path: string): void
  /** A second call does nothing. */
  close(): void
}

/** An open hash. Each call is one system call, and throws an `EbpfError`. */
export interface HashMap<K, V> extends OpenMap {
  /** `undefined` when there is none. */
  get(key: K): V | undefined
  /**
   * Throws `FULL` where there is no room.
   *
   * @param mode `new`: throws `EXISTS` where there is one; `existing`: throws `NOT_FOUND` where there is none
   */
  set(key: K, value: V, mode?: SetMode): void
  /** False when there is none. */
  delete(key: K): boolean
  /** What is there, in no order; what comes or goes meanwhile may be missing. */
  entries(): [K, V][]
}

/** An open array. Each call is one system call, and throws an `EbpfError`: `INVALID` for an index that it has not. */
export interface ArrayMap<V> extends OpenMap {
  /** The value at an index. */
  get(index: number): V
  /** Writes the value at an index. */
  set(index: number, value: V): void
  /** All of it, in order. */
  values(): V[]
}

/** An open queue. Each call is one system call, and throws an `EbpfError`. */
export interface QueueMap<V> extends OpenMap {
  /** Throws `FULL` where there is no room. */
  push(value: V): void
  /** Takes the oldest; `undefined` when there is none. */
  pop(): V | undefined
}

interface Common<V> {
  /** At most 15 of `A-Z a-z 0-9 _ .`. */
  readonly name: string
  readonly value: Codec<V>
  readonly maxEntries: number
}

/**
 * A hash: entries come and go. Throws `EbpfError('INVALID')`.
 *
 * @example
 * ```ts
 * import { hashMap, ipv4, struct, u32 } from '@cni/ebpf'
 *
 * export const pods = hashMap({ name: 'pods', key: ipv4, value: struct({ ifindex: u32 }), maxEntries: 1024 })
 * ```
 */
export function hashMap<K, V>(spec: Common<V> & { readonly key: Codec<K> }): MapSpec<HashMap<K, V>> {
  const { key: codec, value: values } = spec
  checkInteger(codec.size, 1, 512, `Map ${spec.name}: the size of a key`)
  const keyOf = (key: K): Buffer => encode(codec, key, 'key')
  return specOf('hash', spec, codec.size, (raw): Omit<HashMap<K, V>, keyof OpenMap> => {
    const get = (bytes: Buffer, key: K): V | undefined => {
      const value = Buffer.alloc(values.size)
      return raw.lookup(bytes, value, key) ? values.read(value, 0) : undefined
    }
    return {
      get: (key) => get(keyOf(key), key),
      set: (key, value, mode = 'any') => raw.update(keyOf(key), encode(values, value, 'value'), mode, key),
      delete: (key) => raw.delete(keyOf(key), key),
      entries() {
        const found = new Map<string, [K, V]>()
        let bytes = raw.next(undefined)
        // A key that has gone meanwhile begins it again, which this ends.
        for (let step = 0; bytes !== undefined && step < 2 * spec.maxEntries; step++) {
          const key = codec.read(bytes, 0)
          const value = get(bytes, key)
          if (value !== undefined) found.set(bytes.toString('latin1'), [key, value])
          bytes = raw.next(bytes)
        }
        return [...found.values()]
      },
    }
  })
}

/** An array: every entry is there, of zeros at first. Throws `EbpfError('INVALID')`. */
export function arrayMap<V>(spec: Common<V>): MapSpec<ArrayMap<V>> {
  const { name, value: values, maxEntries } = spec
  return specOf('array', spec, u32.size, (raw): Omit<ArrayMap<V>, keyof OpenMap> => {
    const keyOf = (index: number): Buffer => encode(u32, index, 'index')
    const get = (index: number): V => {
      const value = Buffer.alloc(values.size)
      if (raw.lookup(keyOf(index), value, index)) return values.read(value, 0)
      throw new EbpfError('INVALID', `Read ${index} of map ${name}: its last index is ${maxEntries - 1}`)
    }
    return {
      get,
      set: (index, value) => raw.update(keyOf(index), encode(values, value, 'value'), 'any', index),
      values: () => Array.from({ length: maxEntries }, (_, index) => get(index)),
    }
  })
}

/** A queue: first in, first out, no keys. Throws `EbpfError('INVALID')`. */
export function queueMap<V>(spec: Common<V>): MapSpec<QueueMap<V>> {
  const { value: values } = spec
  return specOf(
    'queue',
    spec,
    0,
    (raw): Omit<QueueMap<V>, keyof OpenMap> => ({
      push: (value) => raw.update(undefined, encode(values, value, 'value'), 'any'),
      pop() {
        const value = Buffer.alloc(values.size)
        return raw.take(value) ? values.read(value, 0) : undefined
      },
    }),
  )
}

function specOf<Calls extends object, V>(
  kind: MapShape['kind'],
  { name, value, maxEntries }: Common<V>,
  keySize: number,
  calls: (raw: RawMap) => Calls,
): MapSpec<Calls & OpenMap> {
  checkName(name, 'map')
  checkInteger(maxEntries, 1, 0xffffffff, `Map ${name}: maxEntries`)
  checkInteger(value.size, 1, 0xffff, `Map ${name}: the size of a value`)
  return { kind, name, keySize, valueSize: value.size, maxEntries, open: (raw) => withCommon(raw, name, calls(raw)) }
}

/** What depends on the descriptor is asked when it is read. */
function withCommon<Calls extends object>(raw: RawMap, name: string, calls: Calls): Calls & OpenMap {
  const close = (): void => raw.close()
  return Object.assign(
    {
      name,
      get fd() {
        return raw.fd
      },
      get id() {
        return raw.id
      },
      pin: (path: string) => raw.pin(path),
      close,
      [Symbol.dispose]: close,
    },
    calls,
  )
}
