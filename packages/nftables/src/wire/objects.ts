import { buffer, bytes, data, i32, n32, n64, name, oneOf, someOf, value } from './codec.ts'
import { type Fields, hinted, listOf, may, must, nested, told, writeFields } from './fields.ts'
import { invalid } from './nft-error.ts'
import type { ObjectKind } from './object-kind.ts'
import type { ElementSpec } from './specs.ts'
import { type AttributeWriter, written } from './writer.ts'

const NFT_DATA_VERDICT = 0xffffff00

/** nft's number for what a map finds. */
const dataType = {
  expected: `${n32.expected}, or verdict`,
  write: (writer: AttributeWriter, type: number | 'verdict') =>
    n32.write(writer, type === 'verdict' ? NFT_DATA_VERDICT : type),
  decode(read: Buffer): number | 'verdict' | undefined {
    const type = n32.decode(read)
    return type === NFT_DATA_VERDICT ? 'verdict' : type
  },
}

/** One of a list of elements. */
const element = {
  key: may(1, value),
  keyEnd: may(10, value),
  data: may(2, data),
  flags: may(3, someOf(['intervalEnd', 'catchAll'])),
  timeout: may(4, n64),
  expiration: hinted(5, n64),
  userdata: may(6, bytes),
}

/** What tables consist of: the message that adds one (reading is one more, deleting two), and what it says. */
export const objects = {
  table: {
    add: 0,
    fields: {
      table: must(1, name),
      handle: told(4, n64),
      flags: may(2, n32, 0),
      use: hinted(3, n32),
      userdata: may(6, bytes),
      owner: hinted(7, n32),
    },
  },
  chain: {
    add: 3,
    fields: {
      table: must(1, name),
      chain: must(3, name),
      handle: told(2, n64),
      hook: may(4, nested({ hook: must(1, n32), priority: must(2, i32), device: may(3, name) }, 'base')),
      policy: may(5, oneOf(['drop', 'accept'])),
      type: may(7, name),
      flags: hinted(10, n32),
      use: hinted(6, n32),
      counters: hinted(8, bytes),
      id: hinted(11, n32),
      userdata: may(12, bytes),
    },
  },
  rule: {
    add: 6,
    fields: {
      table: must(1, name),
      chain: must(2, name),
      handle: told(3, n64),
      /** The expressions, as bytes. */
      expressions: may(4, buffer),
      compat: may(5, nested({ protocol: must(1, n32), flags: must(2, n32) }, 'compat')),
      position: hinted(6, n64),
      userdata: may(7, bytes),
      id: may(9, n32),
      positionId: may(10, n32),
    },
  },
  set: {
    add: 9,
    fields: {
      table: must(1, name),
      set: must(2, name),
      handle: told(16, n64),
      flags: may(
        3,
        someOf(['anonymous', 'constant', 'interval', 'map', 'timeout', 'dynamic', 'object', 'concat', 'expression']),
        [],
      ),
      keyType: must(4, n32),
      keyLength: must(5, n32),
      dataType: may(6, dataType),
      dataLength: may(7, n32),
      description: may(9, nested({ size: may(1, n32), concat: may(2, listOf(nested({ length: must(1, n32) }))) })),
      setId: may(10, n32),
      timeout: may(11, n64),
      userdata: may(13, bytes),
      /** Which data structure it is, and how full. */
      structure: hinted(19, bytes),
      count: hinted(20, bytes),
    },
  },
  element: {
    add: 12,
    fields: {
      table: must(1, name),
      set: must(2, name),
      setId: may(4, n32),
      elements: may(3, listOf(nested(element))),
    },
  },
  object: {
    add: 18,
    fields: { table: must(1, name), name: must(2, name), use: hinted(5, n32), handle: hinted(6, n64) },
  },
  flowtable: {
    add: 22,
    fields: { table: must(1, name), name: must(2, name), use: hinted(4, n32), handle: hinted(5, n64) },
  },
} as const satisfies Record<ObjectKind, unknown>

/** What names one, or some, of a kind of things. */
export type ObjectNames = Partial<Record<'table' | 'chain' | 'set', string | undefined>>

const namingFields = { table: may(1, name) }
const naming: Readonly<Record<ObjectKind, Fields>> = {
  table: namingFields,
  chain: { ...namingFields, chain: may(3, name) },
  rule: { ...namingFields, chain: may(2, name) },
  set: { ...namingFields, set: may(2, name) },
  element: { ...namingFields, set: may(2, name) },
  object: namingFields,
  flowtable: namingFields,
}

/** Writes the attributes that name it. Throws `NftError('INVALID')`. */
export function writeNames(writer: AttributeWriter, kind: ObjectKind, names: ObjectNames): void {
  writeFields(writer, naming[kind], names, kind)
}

/** One of a list of elements. Throws `NftError('INVALID')`. */
export function encodeElement(given: ElementSpec): Buffer {
  const catchAll = given.flags?.includes('catchAll') ?? false
  if ((given.key === undefined) !== catchAll) return invalid('An element has a key, or is the catch-all')
  return written((writer) => writeFields(writer, element, given, 'element'))
}

/** What `NFT_MSG_NEWGEN` tells. */
export const generationFields = { generation: must(1, n32), pid: may(2, n32, 0), program: may(3, name, '') } as const
