import {
  call,
  MAP_CREATE,
  MAP_DELETE,
  MAP_LOOKUP,
  MAP_NEXT_KEY,
  MAP_TAKE,
  MAP_UPDATE,
  type Member,
  textAt,
} from './call.ts'
import { FOR_MAPS } from './capabilities.ts'
import { EbpfError, isEbpfError } from './errors.ts'
import type { Kernel } from './kernel.ts'
import { KernelObject, nameBytes, openPinned } from './object.ts'
import type { MapSpec } from './types.ts'

/** Kind, sizes and name of a map: the members of its spec that the kernel receives. */
type MapShape = Omit<MapSpec<unknown>, 'open'>

/** Condition for writing a map entry. `new`: the key must be missing. `existing`: the key must exist. */
type SetMode = 'any' | 'new' | 'existing'

const KINDS: Readonly<Record<MapShape['kind'], number>> = { hash: 1, array: 2, queue: 22 }
const MODES: Readonly<Record<SetMode, bigint>> = { any: 0n, new: 1n, existing: 2n }
// Size of the struct `bpf_map_info` in bytes, up to and including the member `name`.
const INFO = 40

/** Creates a BPF map in the kernel. Throws an `EbpfError`. */
export function createRawMap(kernel: Kernel, shape: MapShape): RawMap {
  const { kind, name, keySize, valueSize, maxEntries } = shape
  const sizes = `keys of ${keySize} and values of ${valueSize} bytes`
  const { result } = call(kernel, {
    ...{ command: MAP_CREATE, size: 72, needs: FOR_MAPS, what: `Make map ${name}` },
    members: [
      [0, KINDS[kind]],
      [4, keySize],
      [8, valueSize],
      [12, maxEntries],
      ...nameBytes(name).map(([at, word]): Member => [28 + at, word]),
    ],
    means: {
      EINVAL: ['NOT_SUPPORTED', `the kernel cannot make a ${kind} map of ${maxEntries} with ${sizes}`],
      E2BIG: ['NOT_SUPPORTED', `the kernel cannot make a ${kind} map of ${maxEntries} with ${sizes}`],
      ENOMEM: ['FULL', `the kernel has no memory for ${maxEntries} entries`],
    },
  })
  return new RawMap(kernel, result, shape)
}

/** Opens a pinned BPF map. Throws `MISMATCH` if the map differs from the spec. */
export function openRawMap(kernel: Kernel, shape: MapShape, path: string): RawMap {
  const map = new RawMap(kernel, openPinned(kernel, path, 'map'), shape)
  try {
    map.check(path)
    return map
  } catch (error) {
    map.close()
    throw error
  }
}

/** An open BPF map whose keys and values are bytes. */
export class RawMap {
  readonly #object: KernelObject
  readonly #shape: MapShape
  #id: number | undefined

  constructor(kernel: Kernel, fd: number, shape: MapShape) {
    this.#shape = shape
    this.#object = new KernelObject(kernel, fd, `map ${shape.name}`)
  }

  get fd(): number {
    return this.#object.fd
  }

  get id(): number {
    this.#id ??= this.#object.info(INFO).readUInt32LE(4)
    return this.#id
  }

  /** Pins the map at a path. A pinned map outlives this process. */
  pin(path: string): void {
    this.#object.pin(path)
  }

  /** Closes the map's descriptor. A second call does nothing. */
  close(): void {
    this.#object.close()
  }

  /** Throws `EbpfError('MISMATCH')` if the opened map's kind, sizes or number of entries differ from the spec. */
  check(path: string): void {
    const { kind, name, keySize, valueSize, maxEntries } = this.#shape
    const info = this.#object.info(INFO)
    const wanted = [
      ['type', 0, KINDS[kind]],
      ['key size', 8, keySize],
      ['value size', 12, valueSize],
      ['number of entries', 16, maxEntries],
    ] as const
    for (const [what, at, expected] of wanted) {
      const found = info.readUInt32LE(at)
      if (found === expected) continue
      const pinned = `The map ${textAt(info, 24, 16) || 'without a name'} pinned to ${path}`
      const difference = `its ${what} is ${found}, expected ${expected} for ${name}`
      throw new EbpfError('MISMATCH', `${pinned} is another map: ${difference}; unpin it, or use another folder`)
    }
  }

  /** Copies the value of a key into the buffer `value`. Returns false if the map lacks the key. */
  lookup(key: Buffer, value: Buffer, shown: unknown): boolean {
    return this.#found(MAP_LOOKUP, this.#text('Read', shown), [
      [8, key],
      [16, value],
    ])
  }

  /** Writes a map entry. For a queue, which has no keys, adds a value. */
  update(key: Buffer | undefined, value: Buffer, mode: SetMode, shown?: unknown): void {
    const what = key === undefined ? `Push to queue ${this.#shape.name}` : this.#text('Write', shown)
    const members: Member[] = [
      [16, value],
      [24, MODES[mode]],
    ]
    if (key !== undefined) members.push([8, key])
    const done = this.#found(MAP_UPDATE, what, members)
    if (!done) throw new EbpfError('NOT_FOUND', `${what}: the entry does not exist`)
  }

  /** Deletes a map entry. Returns false if the map lacks the key. */
  delete(key: Buffer, shown: unknown): boolean {
    return this.#found(MAP_DELETE, this.#text('Delete', shown), [[8, key]])
  }

  /** Removes the oldest value of a queue into `value`. Returns false if the queue is empty. */
  take(value: Buffer): boolean {
    return this.#found(MAP_TAKE, `Pop from queue ${this.#shape.name}`, [[16, value]])
  }

  /** Key after the key `last`. Returns the first key if `last` is missing. */
  next(last: Buffer | undefined): Buffer | undefined {
    const next = Buffer.alloc(this.#shape.keySize)
    const members: Member[] =
      last === undefined
        ? [[16, next]]
        : [
            [8, last],
            [16, next],
          ]
    return this.#found(MAP_NEXT_KEY, `List map ${this.#shape.name}`, members) ? next : undefined
  }

  /** Makes a bpf(2) call on a map entry. Returns false if the map lacks the entry. */
  #found(command: number, what: string, members: readonly Member[]): boolean {
    const { kind, maxEntries } = this.#shape
    const full = ['FULL', `it has room for ${maxEntries} entries`] as const
    try {
      call(this.#object.kernel, {
        ...{ command, size: 32, what, needs: FOR_MAPS, members: [[0, this.fd], ...members] },
        means: {
          E2BIG: kind === 'array' ? ['INVALID', `its last index is ${maxEntries - 1}`] : full,
          ENOMEM: full,
          EEXIST: ['EXISTS', 'the entry exists already'],
        },
      })
      return true
    } catch (error) {
      if (isEbpfError(error) && error.code === 'ENOENT') return false
      throw error
    }
  }

  #text(verb: string, key: unknown): string {
    const text = JSON.stringify(key, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))
    return `${verb} ${text} of map ${this.#shape.name}`
  }
}
