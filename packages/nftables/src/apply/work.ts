import type { Place } from '@cni/netns/handle'
import type { Table } from '../rules/model.ts'
import type { Snapshot } from '../wire/dumps/snapshot.ts'
import { type Committed, type Nft, openNft } from '../wire/nft.ts'
import { isNftError, NftError } from '../wire/nft-error.ts'
import type { Patience } from '../wire/patience.ts'
import { withRules } from './refused-rules.ts'
import type { Change } from './report.ts'
import { takeBack } from './take-back.ts'

/** Tables that a program owns. A ruleset is valid too. */
export type OwnedTables = { readonly tables: readonly Pick<Table, 'family' | 'name'>[] }

/** Options of `apply`, `verify` and `diff`. `absent`: tables to delete in the same transaction. */
export type OwnedOptions = { readonly absent?: OwnedTables | undefined }

/** A namespace, and optionally one socket for all calls. */
export interface Work {
  readonly place: Place
  readonly nft: Nft | undefined
}

/**
 * Runs a function with a socket. Throws `NftError('ABORTED')` if the context's signal is aborted already. A running
 * function is not stopped, because it is short.
 */
export async function withNft<T>({ place, nft }: Work, run: (nft: Nft) => T | Promise<T>): Promise<T> {
  const { netns, signal } = place
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

/** Rollback of a transaction: the inverse of its own steps. */
export interface WayBack {
  /** Records the content before a write, and registers the rollback with the context once. */
  begin(before?: Snapshot): void
  /** Records the changes that the kernel made. */
  readonly told: (committed: Committed) => void
  /** True after a write that was not rolled back. */
  isWritten(): boolean
  undo(): Promise<void>
}

/** Creates the rollback of a transaction that has not begun. */
export function wayBack({ place, nft }: Work): WayBack {
  let registered = false
  let before: Snapshot = { messages: [] }
  let written: Committed | undefined
  const undo = async (): Promise<void> => {
    if (written === undefined) return
    const steps = { before, written }
    // An aborted call is rolled back as well.
    await withSocket(place.netns, nft, (socket) => takeBack(socket, steps))
    written = undefined
  }
  return {
    begin(found = { messages: [] }) {
      before = found
      if (!registered) place.undo?.(undo)
      registered = true
    },
    told: (committed) => {
      written = committed
    },
    isWritten: () => written !== undefined,
    undo,
  }
}

/** Retries last until the signal of the call. */
export const patienceOf = ({ place }: Work): Patience => ({ signal: place.signal })

/** Report of a finished change. */
export function changeOf(nft: Nft, began: number, { isWritten, undo }: WayBack): Change {
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
