import type { ObjectKind } from './object-kind.ts'

export const NFT_MSG_NEWGEN = 15
export const NFT_MSG_GETGEN = 16
export const NFT_MSG_TRACE = 17
export const NFT_MSG_DESTROYTABLE = 26

/** Length of `struct nfgenmsg`: family, version, and two bytes of resource id. */
export const NFGENMSG = 4

/** Number of the netfilter subsystem nf_tables in netlink message types. */
export const NFNL_SUBSYS_NFTABLES = 10
export const NFNL_MSG_BATCH_BEGIN = 0x10
export const NFNL_MSG_BATCH_END = 0x11

/** Netlink message type for a message number of nf_tables. */
export const typeOf = (message: number): number => (NFNL_SUBSYS_NFTABLES << 8) | message

/** Message number within nf_tables for a netlink message type. -1 for messages of other subsystems. */
export const messageOfType = (type: number): number => (type >> 8 === NFNL_SUBSYS_NFTABLES ? type & 0xff : -1)

/** Header `nfgenmsg`, which precedes the attributes of a netlink message. */
export const nfgenmsg = (family: number): Uint8Array => Uint8Array.of(family, 0, 0, 0)

/** Map from a kind of object to its "add" message number. The numbers for "get" and "delete" follow. */
export const ADD = {
  ...{ table: 0, chain: 3, rule: 6, set: 9, element: 12, object: 18, flowtable: 22 },
} as const satisfies Record<ObjectKind, number>
export const GET = 1
export const DELETE = 2
const actions = ['add', undefined, 'delete'] as const

/** Action and object kind of a message number; `undefined` for other messages. */
export function changeOf(
  message: number,
): { readonly action: 'add' | 'delete'; readonly kind: ObjectKind } | undefined {
  if (message === NFT_MSG_DESTROYTABLE) return { action: 'delete', kind: 'table' }
  for (const kind of Object.keys(ADD) as ObjectKind[]) {
    const action = actions[message - ADD[kind]]
    if (action !== undefined) return { action, kind }
  }
  return undefined
}
