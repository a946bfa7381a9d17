import type { Netns } from '@cni/netns/handle'
import { attributeMap, type Channel, readCString } from '@cni/netns/netlink'
import { type FreshNftables, openAt } from '../wire/batch/open-at.ts'
import { familyNumber } from '../wire/family.ts'
import type { TableName } from '../wire/specs.ts'

/**
 * Opens nf_tables of a namespace, to send a batch that `freshBatch` created. `tables` lists the tables of the batch.
 * The result's `fresh` is true if none of these tables exists. A function as `tables` computes `fresh` itself. Returns
 * `undefined` if nf_tables cannot be used.
 */
export function openFresh(
  target: Netns,
  tables: readonly TableName[] | ((channel: Channel) => boolean),
): FreshNftables | undefined {
  return openAt(target, typeof tables === 'function' ? tables : (channel) => hasNone(channel, tables))
}

// internal

const GET_TABLE = (10 << 8) | 1
const TABLE_NAME = 1
const NFGENMSG = 4
const ANY_FAMILY = new Uint8Array(NFGENMSG)

function hasNone(channel: Channel, tables: readonly TableName[]): boolean {
  const found = channel.dump({ type: GET_TABLE, fixed: ANY_FAMILY, what: 'List tables' }, { consistent: true })
  for (const { body } of found) for (const table of tables) if (isOf(body, table)) return false
  return true
}

const isOf = (body: Buffer, { family, table }: TableName): boolean =>
  body[0] === familyNumber(family) && readCString(attributeMap(body, NFGENMSG).get(TABLE_NAME)) === table
