import type { Channel } from '@cni/netns/netlink'
import { type Family, familyNumber, familyWord } from './family.ts'
import { GET, nfgenmsg, typeOf } from './messages.ts'
import type { ObjectKind } from './object-kind.ts'
import { objects, writeNames } from './objects.ts'
import {
  chainIn,
  elementsIn,
  type NftChain,
  type NftElement,
  type NftRule,
  type NftSet,
  type NftTable,
  ruleIn,
  setIn,
  tableIn,
} from './records.ts'
import { requestRefused } from './refused.ts'
import type { ChainName, SetName, TableName } from './specs.ts'
import { written } from './writer.ts'

/** Which of all to read: those of a family, a table, a chain. Nothing: of all families. */
export type Filter = { readonly [K in keyof ChainName]?: ChainName[K] | undefined }

/**
 * What is there. Each call reads one kind of things, as it was at one moment; what belongs together is read with `read` of
 * {@link Nft}. Throws `NftError`: `DENIED`, `UNSUPPORTED`, `NOT_FOUND` for a set that is not there, `CHANGED` when others
 * never let one reading end; `NetnsError` for failures of the socket.
 */
export interface Dumps {
  tables(filter?: Pick<Filter, 'family'>): NftTable[]
  chains(filter?: Omit<Filter, 'chain'>): NftChain[]
  /** In their order. */
  rules(filter?: Filter): NftRule[]
  sets(filter?: Omit<Filter, 'chain'>): NftSet[]
  /** In no order, but intervals: there each end is followed by what it ends. */
  elements(set: SetName): NftElement[]
  /** What the kernel tells of a kind of things: each as the bytes behind the header of its message. */
  bytes(kind: ObjectKind, of?: Filter | SetName): Buffer[]
}

/** Over a channel. */
export function dumpsOver(channel: Pick<Channel, 'dump'>): Dumps {
  const bytes = (kind: ObjectKind, { family, ...names }: Filter | SetName = {}) => {
    const { add } = objects[kind]
    const fixed = written((writer) => {
      writer.raw(nfgenmsg(family === undefined ? 0 : (familyNumber(family) ?? 0)))
      writeNames(writer, kind, names)
    })
    try {
      const request = { type: typeOf(add + GET), fixed, what: `List ${kind}s` }
      const messages = channel.dump(request, { consistent: true })
      return messages.filter(({ type }) => type === typeOf(add)).map(({ body }) => body)
    } catch (error) {
      throw requestRefused(error)
    }
  }
  const read = <T>(kind: ObjectKind, of: Filter | SetName, decode: (family: Family, body: Buffer) => T) =>
    bytes(kind, of).flatMap((body) => {
      const family = familyWord(body[0])
      return family === undefined ? [] : [decode(family, body)]
    })
  return {
    tables: (filter = {}) => read('table', filter, tableIn),
    // The kernel filters chains by family only, and refuses to filter sets by a table that is not there.
    chains: ({ family, table } = {}) => read('chain', { family }, chainIn).filter(inTable(table)),
    rules: (filter = {}) => read('rule', filter, ruleIn),
    sets: ({ family, table } = {}) => read('set', { family }, setIn).filter(inTable(table)),
    elements: (set) => read('element', set, elementsIn).flatMap(({ elements }) => elements),
    bytes,
  }
}

function inTable(wanted: string | undefined): (each: TableName) => boolean {
  return ({ table }) => wanted === undefined || table === wanted
}
