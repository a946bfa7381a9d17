import type { NetlinkSocket } from '@cni/netns/netlink'
import { Batch, type Expression, isNftError, type Nft, type NftError } from '@cni/nftables/wire'

/** nf_tables without tables, of a namespace or of a fake. */
export interface World extends AsyncDisposable {
  readonly nft: Nft
  /** Pid of this process in transactions, or a matcher if it cannot be known. */
  readonly pid: unknown
  /** Opens the socket of another program, optionally with a small buffer. */
  other(receiveBuffer?: number): Nft
  /** Opens a socket that receives transactions. */
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

/** A batch that adds the table and its chain. */
export const begun = () => new Batch().addTable(ex).addChain(chain)

/** A rule with a comment that identifies it. */
export const rule = (comment: string, expressions: readonly Expression[] = [counter]) => ({
  ...chain,
  expressions,
  comment,
})

/** Comments of the chain's rules. */
export const comments = (nft: Nft) => nft.rules(chain).map(({ comment }) => comment)

/** The `NftError` that a function throws. Fails if it throws nothing or another error. */
export function thrown(act: () => unknown): NftError {
  try {
    act()
  } catch (error) {
    if (isNftError(error)) return error
    throw error
  }
  throw new Error('Nothing was thrown')
}

/** The `NftError` that a promise rejects with. Fails if it resolves, or rejects with another error. */
export async function rejected(promise: Promise<unknown>): Promise<NftError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (isNftError(error)) return error
  throw error ?? new Error('It was not rejected')
}
