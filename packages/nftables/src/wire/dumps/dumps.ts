import type { Channel } from '@cni/netns/netlink'
import { type Family, familyNumber } from '../family.ts'
import { written } from '../fields/writer.ts'
import { ADD, GET, nfgenmsg, typeOf } from '../messages.ts'
import type { ObjectKind } from '../object-kind.ts'
import { writeNames } from '../objects.ts'
import { requestRefused } from '../refusal/refusal.ts'
import type { SetName } from '../specs.ts'
import { chainIn, decodeAll, type NftChain, type NftRule, type NftTable, ruleIn, tableIn } from './records.ts'

/**
 * Reads nf_tables objects from the kernel. Each call returns a consistent list of one kind of object. Use `read` of
 * {@link Nft} to keep several calls consistent. For sets use `setsOf` and `elementsOf`. Throws `NftError`: `DENIED`,
 * `UNSUPPORTED`, or `CHANGED` if other processes interrupt every attempt. Throws `NetnsError` if the netlink socket
 * fails.
 */
export interface Dumps {
  /** Lists the tables of a family, or by default the tables of all families. */
  tables(filter?: { readonly family?: Family | undefined }): NftTable[]
  chains(filter?: { readonly family?: Family | undefined; readonly table?: string | undefined }): NftChain[]
  /** Lists rules, in their order within each chain. */
  rules(filter?: {
    readonly family?: Family | undefined
    readonly table?: string | undefined
    readonly chain?: string | undefined
  }): NftRule[]
  /**
   * Lists the kernel's netlink messages about objects of one kind, without headers. An `object` is a stateful object
   * such as a named counter or quota. An `element` message has several elements of a set.
   */
  bytes(
    kind: 'table' | 'chain' | 'rule' | 'set' | 'element' | 'object' | 'flowtable',
    of?: Parameters<Dumps['rules']>[0] | SetName,
  ): Buffer[]
}

type Filter = NonNullable<Parameters<Dumps['rules']>[0]>

/** Creates functions that read objects over a netlink channel. */
export function dumpsOver(channel: Pick<Channel, 'dump'>): Dumps {
  const bytes = (kind: ObjectKind, { family, ...names }: Filter | SetName = {}) => {
    const add = typeOf(ADD[kind])
    const request = {
      type: typeOf(ADD[kind] + GET),
      fixed: written((writer) => {
        writer.raw(nfgenmsg(family === undefined ? 0 : (familyNumber(family) ?? 0)))
        writeNames(writer, kind, names)
      }),
      what: `List ${kind}s`,
    }
    try {
      const messages = channel.dump(request, { consistent: true })
      return messages.filter(({ type }) => type === add).map(({ body }) => body)
    } catch (error) {
      throw requestRefused(error)
    }
  }
  return {
    tables: (filter) => decodeAll(bytes('table', filter), tableIn),
    chains({ family, table } = {}) {
      // The kernel filters a list of chains by family only, so filter by table here.
      const chains = decodeAll(bytes('chain', { family }), chainIn)
      return chains.filter((chain) => table === undefined || chain.table === table)
    },
    rules: (filter) => decodeAll(bytes('rule', filter), ruleIn),
    bytes,
  }
}
