import { type Codec, encode, int } from './codec.ts'
import { checkInteger, EbpfError } from './errors.ts'
import { checkName } from './object.ts'
import type { RawMap } from './raw-map.ts'
import type { MapSpec, OpenMap } from './types.ts'

const INDEX = int('u32')

/**
 * Spec of a BPF hash map. Throws `EbpfError('INVALID')` for invalid options.
 *
 * @example
 * ```ts
 * import { hashMap, int, ipv4, struct } from '@cni/ebpf'
 *
 * export const pods = hashMap({ name: 'pods', key: ipv4, value: struct({ ifindex: int('u32') }), maxEntries: 1024 })
 * ```
 */
export function hashMap<K, V>(spec: {
  /** Name of the map: at most 15 characters `A-Z a-z 0-9 _ .`. */
  readonly name: string
  readonly key: Codec<K>
  readonly value: Codec<V>
  readonly maxEntries: number
}): MapSpec<
  OpenMap & {
    /** Reads the value of a key. `undefined` if the map lacks the key. */
    get(key: K): V | undefined
    /**
     * Writes the value of a key. Throws `FULL` if the map is full.
     *
     * @param mode `new`: throws `EXISTS` if the key exists; `existing`: throws `NOT_FOUND` if the key is missing
     */
    set(key: K, value: V, mode?: 'any' | 'new' | 'existing'): void
    /** Deletes a key from the map. Returns false if the map lacks the key. */
    delete(key: K): boolean
    /**
     * All keys with their values, in no particular order. May miss a key that another process adds or deletes during
     * this call.
     */
    entries(): [K, V][]
  }
> {
  const { key: codec, value: values } = spec
  checkInteger(codec.size, 1, 512, `Map ${spec.name}: the size of a key`)
  const keyOf = (key: K): Buffer => encode(codec, key, 'key')
  return specOf('hash', spec, codec.size, (raw): Calls<typeof hashMap<K, V>> => {
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
        // Limits the steps, because the iteration starts again if another process deletes the current key.
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

/**
 * Spec of a BPF array map. All values exist and are zero at first. Throws `EbpfError('INVALID')` for invalid options.
 */
export function arrayMap<V>(spec: {
  /** Name of the map: at most 15 characters `A-Z a-z 0-9 _ .`. */
  readonly name: string
  readonly value: Codec<V>
  readonly maxEntries: number
}): MapSpec<
  OpenMap & {
    /** Reads the value at an index of the BPF array map. */
    get(index: number): V
    /** Writes the value at an index of the BPF array map. */
    set(index: number, value: V): void
    /** All values of the BPF array map, in the order of their indexes. */
    values(): V[]
  }
> {
  const { name, value: values, maxEntries } = spec
  return specOf('array', spec, INDEX.size, (raw): Calls<typeof arrayMap<V>> => {
    const keyOf = (index: number): Buffer => encode(INDEX, index, 'index')
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

/** Spec of a BPF queue: first in, first out, without keys. Throws `EbpfError('INVALID')` for invalid options. */
export function queueMap<V>(spec: Parameters<typeof arrayMap<V>>[0]): MapSpec<
  OpenMap & {
    /** Adds a value at the end of the queue. Throws `FULL` if the queue is full. */
    push(value: V): void
    /** Removes the oldest value from the queue and returns the value. `undefined` if the queue is empty. */
    pop(): V | undefined
  }
> {
  const { value: values } = spec
  return specOf(
    'queue',
    spec,
    0,
    (raw): Calls<typeof queueMap<V>> => ({
      push: (value) => raw.update(undefined, encode(values, value, 'value'), 'any'),
      pop() {
        const value = Buffer.alloc(values.size)
        return raw.take(value) ? values.read(value, 0) : undefined
      },
    }),
  )
}

/** Functions that only one kind of map has, such as `push` of a queue. */
type Calls<Make extends (spec: never) => MapSpec<OpenMap>> = Omit<ReturnType<ReturnType<Make>['open']>, keyof OpenMap>

function specOf<Own extends object, V>(
  kind: MapSpec<unknown>['kind'],
  { name, value, maxEntries }: Parameters<typeof arrayMap<V>>[0],
  keySize: number,
  calls: (raw: RawMap) => Own,
): MapSpec<Own & OpenMap> {
  checkName(name, 'map')
  checkInteger(maxEntries, 1, 0xffffffff, `Map ${name}: maxEntries`)
  checkInteger(value.size, 1, 0xffff, `Map ${name}: the size of a value`)
  return {
    kind,
    name,
    keySize,
    valueSize: value.size,
    maxEntries,
    // `raw` is always a RawMap. The public type is `object`, to hide the class.
    open: (raw: RawMap) => withCommon(raw, name, calls(raw)),
  }
}

/** Adds the members that every open map has, such as `id` and `pin`. */
function withCommon<Own extends object>(raw: RawMap, name: string, calls: Own): Own & OpenMap {
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
