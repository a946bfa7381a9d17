import { textAt } from '../call.ts'
import { refuse } from './refuse.ts'

/** BPF map of the fake kernel. Its functions throw errors as the kernel does. */
export interface FakeMap {
  readonly type: number
  readonly name: string
  readonly keySize: number
  readonly valueSize: number
  readonly maxEntries: number
  lookup(key: Buffer, value: Buffer): number
  update(key: Buffer, value: Buffer, flags: number): number
  delete(key: Buffer): number
  next(key: Buffer, next: Buffer): number
  take(value: Buffer): number
}

const [ARRAY, QUEUE] = [2, 22]
const [NOEXIST, EXIST] = [1, 2]

/** Creates a fake map from the struct `bpf_attr` of the command `BPF_MAP_CREATE`. */
export function fakeMap(attr: DataView): FakeMap {
  const word = (offset: number): number => attr.getUint32(offset, true)
  const [type, keySize, valueSize, maxEntries] = [word(0), word(4), word(8), word(12)]
  const entries = new Map<string, Buffer>()
  const queue: Buffer[] = []
  const textOf = (key: Buffer): string => key.toString('hex')
  if (type === ARRAY) {
    const key = Buffer.alloc(4)
    for (let index = 0; index < maxEntries; index++) {
      key.writeUInt32LE(index)
      entries.set(textOf(key), Buffer.alloc(valueSize))
    }
  }
  return {
    ...{ type, keySize, valueSize, maxEntries },
    name: textAt(Buffer.from(attr.buffer, attr.byteOffset, attr.byteLength), 28, 16),
    lookup(key, value) {
      const found = entries.get(textOf(key)) ?? refuse('ENOENT')
      found.copy(value)
      return 0
    },
    update(key, value, flags) {
      if (type === QUEUE) {
        if (queue.length === maxEntries) refuse('E2BIG')
        queue.push(Buffer.from(value))
        return 0
      }
      const there = entries.has(textOf(key))
      if (there && flags === NOEXIST) refuse('EEXIST')
      if (!there && flags === EXIST) refuse('ENOENT')
      if (!there && entries.size === maxEntries) refuse('E2BIG')
      entries.set(textOf(key), Buffer.from(value))
      return 0
    },
    delete(key) {
      if (type === ARRAY) refuse('EINVAL')
      if (!entries.delete(textOf(key))) refuse('ENOENT')
      return 0
    },
    next(key, next) {
      const keys = [...entries.keys()]
      const found = keys[keys.indexOf(textOf(key)) + 1] ?? refuse('ENOENT')
      next.write(found, 'hex')
      return 0
    },
    take(value) {
      const oldest = queue.shift() ?? refuse('ENOENT')
      oldest.copy(value)
      return 0
    },
  }
}
