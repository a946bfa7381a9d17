import { buffer, bytes, i32, n32, n64, name, oneOf } from './fields/codec.ts'
import { type Fields, indexed, may, maybeReported, must, nested, reported, writeFields } from './fields/fields.ts'
import type { AttributeWriter } from './fields/writer.ts'
import type { ObjectKind } from './object-kind.ts'

/** Netlink attributes of a table. */
export const tableFields = indexed({
  table: must(1, name),
  handle: reported(4, n64),
  flags: may(2, n32, 0),
  use: maybeReported(3, n32),
  userdata: may(6, bytes),
  owner: maybeReported(7, n32),
})

/** Netlink attributes of a chain. */
export const chainFields = indexed({
  table: must(1, name),
  chain: must(3, name),
  handle: reported(2, n64),
  hook: may(4, nested({ hook: must(1, n32), priority: must(2, i32), device: may(3, name) }, 'base')),
  policy: may(5, oneOf(['drop', 'accept'])),
  type: may(7, name),
  flags: maybeReported(10, n32),
  use: maybeReported(6, n32),
  counters: maybeReported(8, bytes),
  id: maybeReported(11, n32),
  userdata: may(12, bytes),
})

/** Netlink attributes of a rule. */
export const ruleFields = indexed({
  table: must(1, name),
  chain: must(2, name),
  handle: reported(3, n64),
  /** Expressions of the rule as bytes, which are decoded only on demand. */
  expressions: may(4, buffer),
  compat: may(5, nested({ protocol: must(1, n32), flags: must(2, n32) }, 'compat')),
  position: maybeReported(6, n64),
  userdata: may(7, bytes),
  id: may(9, n32),
  positionId: may(10, n32),
})

/** Netlink attributes of stateful objects and flowtables that this package uses. */
export const objectFields = indexed({
  table: must(1, name),
  name: must(2, name),
  use: maybeReported(5, n32),
  handle: maybeReported(6, n64),
})
export const flowtableFields = indexed({
  table: must(1, name),
  name: must(2, name),
  use: maybeReported(4, n32),
  handle: maybeReported(5, n64),
})

/** Netlink attributes of `NFT_MSG_NEWGEN`, the message about a new generation of the rules. */
export const generationFields = indexed({ generation: must(1, n32), pid: may(2, n32, 0), program: may(3, name, '') })

/** Names in a request, which select one object or several objects of a kind. */
export type ObjectNames = Partial<Record<'table' | 'chain' | 'set', string | undefined>>

const namingFields = indexed({ table: may(1, name) })
const ruleNaming = indexed({ ...namingFields, chain: may(2, name) })
const setNaming = indexed({ ...namingFields, set: may(2, name) })
const naming = {
  table: namingFields,
  chain: indexed({ ...namingFields, chain: may(3, name) }),
  rule: ruleNaming,
  set: setNaming,
  element: setNaming,
  object: namingFields,
  flowtable: namingFields,
}

/** Returns the netlink attributes that hold the names of one kind of object. */
export const namesOf = (kind: ObjectKind): Fields => naming[kind]

/** Writes the names of an object as netlink attributes. Throws `NftError('INVALID')`. */
export function writeNames(writer: AttributeWriter, kind: ObjectKind, names: ObjectNames): void {
  writeFields(writer, naming[kind], names, kind)
}
