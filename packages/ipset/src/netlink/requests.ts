import { u32 } from '@cni/netns/netlink'
import type { Change, EntryChange } from '../changes.ts'
import { entriesBytes, textBytes } from './entries.ts'
import { createAttributes } from './headers.ts'
import {
  ATTR_ADT,
  ATTR_DATA,
  ATTR_FLAGS,
  ATTR_LINENO,
  ATTR_SETNAME2,
  CMD_ADD,
  CMD_CREATE,
  CMD_DEL,
  CMD_DESTROY,
  CMD_FLUSH,
  CMD_HEADER,
  CMD_LIST,
  CMD_RENAME,
  CMD_SWAP,
  CMD_TEST,
  FLAG_LIST_HEADER,
  type IpsetRequest,
  NLM_F_EXCL,
  nameAttribute,
  nested,
  number32,
} from './protocol.ts'

/** Function that asks the kernel for the type of a set. `what` describes the purpose, for error messages. */
export type TypeOf = (set: string, what: string) => string

/** Yields netlink messages for a change. Each message is encoded when the caller requests it. */
export function* requestsOf(change: Change, exist: boolean, typeOf: TypeOf): Generator<IpsetRequest> {
  const { verb, set } = change
  const flags = exist ? 0 : NLM_F_EXCL
  const name = nameAttribute(set)
  switch (verb) {
    case 'create': {
      const { spec } = change
      const attributes = createAttributes(set, spec)
      yield { what: `Create set ${set}`, command: CMD_CREATE, flags, attributes, type: spec.type }
      break
    }
    case 'destroy':
      yield { what: `Destroy set ${set}`, command: CMD_DESTROY, flags, attributes: [name] }
      break
    case 'flush':
      yield { what: `Flush set ${set}`, command: CMD_FLUSH, attributes: [name] }
      break
    case 'swap':
    case 'rename': {
      const { other } = change
      const what = verb === 'swap' ? `Swap sets ${set} and ${other}` : `Rename set ${set} to ${other}`
      const attributes = [name, nameAttribute(other, ATTR_SETNAME2)]
      yield { what, command: verb === 'swap' ? CMD_SWAP : CMD_RENAME, attributes }
      break
    }
    default:
      yield* entryRequests(change, flags, typeOf)
  }
}

/** Request that asks the kernel if an entry matches a set. */
export function testRequest(set: string, entry: string, typeOf: TypeOf): IpsetRequest {
  const what = `Test ${entry} in set ${set}`
  const type = typeOf(set, what)
  const attributes = [nameAttribute(set), nested(ATTR_DATA, textBytes(set, type, entry))]
  return { what, command: CMD_TEST, attributes, type }
}

/** Request for the name and the type of a set, without its entries. */
export const headerRequest = (set: string, what: string): IpsetRequest => ({
  what,
  command: CMD_HEADER,
  attributes: [nameAttribute(set)],
})

/** Request for a set with its entries, or for all sets without their entries. */
export const listRequest = (set?: string): IpsetRequest => ({
  what: set === undefined ? 'List sets' : `Read set ${set}`,
  command: CMD_LIST,
  attributes: [set === undefined ? number32(ATTR_FLAGS, FLAG_LIST_HEADER) : nameAttribute(set)],
})

// internal

/** Maximum size of the entries in a message, because error answers repeat the whole message. */
const MAX_ENTRY_BYTES = 16_000

function* entryRequests({ verb, set, entries }: EntryChange, flags: number, typeOf: TypeOf): Generator<IpsetRequest> {
  const phrase = (what = 'an entry') =>
    verb === 'add' ? `Add ${what} to set ${set}` : `Delete ${what} from set ${set}`
  const what = phrase(entries.length === 1 ? entries[0]?.entry : `${entries.length} entries`)
  const type = typeOf(set, what)
  const written = verb === 'add' ? entries : entries.map(({ entry }) => ({ entry }))
  for (const bytes of entriesBytes(set, type, written, MAX_ENTRY_BYTES)) {
    yield {
      what,
      about: (number) => phrase(entries[number - 1]?.entry),
      command: verb === 'add' ? CMD_ADD : CMD_DEL,
      flags,
      attributes: [nameAttribute(set), [ATTR_LINENO, u32(0)], nested(ATTR_ADT, bytes)],
      type,
    }
  }
}
