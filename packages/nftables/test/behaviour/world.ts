import type { NetlinkSocket } from '@cni/netns/netlink'
import { Batch, type Expression, isNftError, type Nft, type NftError } from '@cni/nftables/wire'

/** Kernel for contract tests: nf_tables without tables, of a real namespace or of the fake kernel. */
export interface World extends AsyncDisposable {
  readonly nft: Nft
  /** Expected pid in reports of transactions, or a matcher for any number. */
  readonly pid: unknown
  /**
   * Opens a second netlink socket, by which a test acts as another program. A small `receiveBuffer` causes lost events.
   */
  other(receiveBuffer?: number): Nft
  /** Opens a netlink socket that receives transactions. */
  listen(receiveBuffer?: number): NetlinkSocket
}

/** Table that most contract tests use, and its chain. */
export const ex = { family: 'inet', table: 'ex' } as const
export const chain = { ...ex, chain: 'c' } as const

export const counter: Expression = { name: 'counter' }
export const accept: Expression = { name: 'immediate', dreg: 0, data: { verdict: 'accept' } }
export const jump = (to: string): Expression => ({
  ...{ name: 'immediate', dreg: 0, data: { verdict: 'jump', chain: to } },
})

/** Creates a batch that adds the table `ex` and its chain `c`. */
export const begun = () => new Batch().addTable(ex).addChain(chain)

/** Creates a rule for the chain `c` with a comment that identifies the rule. */
export const rule = (comment: string, expressions: readonly Expression[] = [counter]) => ({
  ...chain,
  expressions,
  comment,
})

/** Comments of the rules in the chain `c`, which show the order of the rules. */
export const comments = (nft: Nft) => nft.rules(chain).map(({ comment }) => comment)

/** Returns the `NftError` that a function throws. Fails if the function throws nothing or another error. */
export function thrown(act: () => unknown): NftError {
  try {
    act()
  } catch (error) {
    if (isNftError(error)) return error
    throw error
  }
  throw new Error('Nothing was thrown')
}

/** Returns the `NftError` that a promise rejects with. Fails if the promise resolves, or rejects with another error. */
export async function rejected(promise: Promise<unknown>): Promise<NftError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (isNftError(error)) return error
  throw error ?? new Error('It was not rejected')
}
