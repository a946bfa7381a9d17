import type { NetlinkSocket } from '@cni/netns/netlink'
import { Batch, type Expression, isNftError, type Nft, type NftError } from '@cni/nftables/wire'

/** nf_tables of a namespace, or of a fake, without any table. */
export interface World extends AsyncDisposable {
  readonly nft: Nft
  /** What a transaction says of this process; a matcher where that cannot be known. */
  readonly pid: unknown
  /** Another program's, on a socket of its own; with a small buffer, if one is given. */
  other(receiveBuffer?: number): Nft
  /** A socket that hears of transactions. */
  listen(receiveBuffer?: number): NetlinkSocket
}

/** The table of most tests, and its chain. */
export const ex = { family: 'inet', table: 'ex' } as const
export const chain = { ...ex, chain: 'c' } as const

export const counter: Expression = { name: 'counter' }
export const accept: Expression = { name: 'immediate', dreg: 0, data: { verdict: 'accept' } }
export const jump = (to: string): Expression => ({
  ...{ name: 'immediate', dreg: 0, data: { verdict: 'jump', chain: to } },
})

/** The table with its chain. */
export const begun = () => new Batch().addTable(ex).addChain(chain)

/** A rule that says who it is. */
export const rule = (comment: string, expressions: readonly Expression[] = [counter]) => ({
  ...chain,
  expressions,
  comment,
})

/** The rules of the chain, by what they say. */
export const comments = (nft: Nft) => nft.rules(chain).map(({ comment }) => comment)

/** What was thrown; fails when nothing was, or something else. */
export function thrown(act: () => unknown): NftError {
  try {
    act()
  } catch (error) {
    if (isNftError(error)) return error
    throw error
  }
  throw new Error('Nothing was thrown')
}

/** What a promise is rejected with; fails when it is not, or with something else. */
export async function rejected(promise: Promise<unknown>): Promise<NftError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (isNftError(error)) return error
  throw error ?? new Error('It was not rejected')
}
