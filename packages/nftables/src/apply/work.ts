import type { Place } from '@cni/netns/handle'
import type { Table } from '../rules/model.ts'
import type { Snapshot } from '../wire/dumps/snapshot.ts'
import { type Committed, type Nft, openNft } from '../wire/nft.ts'
import { isNftError, NftError } from '../wire/nft-error.ts'
import type { RetryOptions } from '../wire/retry.ts'
import { withRules } from './refused-rules.ts'
import type { Change } from './report.ts'
import { rollBack } from './roll-back.ts'

/** Tables that a program owns: a list of their names, or a ruleset that contains the tables. */
export type OwnedTables = { readonly tables: readonly Pick<Table, 'family' | 'name'>[] }

/** Options of `apply`, `verify` and `diff`. `absent` names tables that must not exist. */
export type OwnedOptions = { readonly absent?: OwnedTables | undefined }

/** Namespace in which a call works, and optionally an open netlink socket for all calls. */
export interface Work {
  readonly context: Place
  readonly nft: Nft | undefined
}

/** Runs a function with a netlink socket. The AbortSignal can only prevent the function's start. */
export async function withNft<T>({ context, nft }: Work, run: (nft: Nft) => T | Promise<T>): Promise<T> {
  const { netns, signal } = context
  if (signal?.aborted === true) {
    throw new NftError('ABORTED', 'nftables: aborted before anything was done', { cause: signal.reason })
  }
  return withSocket(netns, nft, async (socket) => {
    try {
      return await run(socket)
    } catch (error) {
      if (!isNftError(error) || error.code !== 'REFUSED') throw error
      throw withRules(error, socket)
    }
  })
}

/** Rollback of one transaction: undoes exactly the changes of that transaction. */
export interface Rollback {
  /** Stores the tables' content for the rollback. The first call registers the rollback. */
  begin(before?: Snapshot): void
  /** Stores the changes that the kernel reported for the transaction. */
  readonly committed: (changes: Committed) => void
  /** True if the transaction is committed and not rolled back. */
  isWritten(): boolean
  undo(): Promise<void>
}

/** Creates the rollback of a transaction that has not begun. */
export function rollbackOf({ context, nft }: Work): Rollback {
  let registered = false
  let before: Snapshot = { messages: [] }
  let written: Committed | undefined
  const undo = async (): Promise<void> => {
    if (written === undefined) return
    const steps = { before, written }
    // The rollback ignores the context's AbortSignal, because an aborted call needs a rollback, too.
    await withSocket(context.netns, nft, (socket) => rollBack(socket, steps))
    written = undefined
  }
  return {
    begin(found = { messages: [] }) {
      before = found
      if (!registered) context.undo?.(undo)
      registered = true
    },
    committed: (changes) => {
      written = changes
    },
    isWritten: () => written !== undefined,
    undo,
  }
}

/** Retry options of a transaction: the call's AbortSignal ends the retries. */
export const retryOptionsOf = ({ context }: Work): RetryOptions => ({ signal: context.signal })

/** Result of a finished call that changed rules. */
export function changeOf(nft: Nft, began: number, { isWritten, undo }: Rollback): Change {
  return { changed: isWritten(), generation: nft.generation(), durationMs: performance.now() - began, undo }
}

async function withSocket<T>(
  netns: Place['netns'],
  nft: Nft | undefined,
  run: (nft: Nft) => T | Promise<T>,
): Promise<T> {
  if (nft !== undefined) return run(nft)
  const socket = openNft(netns)
  try {
    return await run(socket)
  } finally {
    socket.close()
  }
}
