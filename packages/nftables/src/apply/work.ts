import type { Place } from '@cni/netns/handle'
import type { Table } from '../rules/model.ts'
import { type Nft, openNft } from '../wire/nft.ts'
import { isNftError, NftError } from '../wire/nft-error.ts'
import type { Snapshot } from '../wire/snapshot.ts'
import type { TableName } from '../wire/specs.ts'
import type { Change } from './report.ts'

/** Tables that a program owns; a ruleset fits. */
export interface OwnedTables {
  readonly tables: readonly Pick<Table, 'family' | 'name'>[]
}

/** What else is asked of the tables that a program owns. */
export interface OwnedOptions {
  /** Tables that are to be gone, whatever is in them, in the same transaction; those of the ruleset itself stay. */
  readonly absent?: OwnedTables | undefined
}

/** A namespace, and a socket for each call or one for all. */
export interface Work {
  readonly place: Place
  readonly nft: Nft | undefined
}

/**
 * Does it with a socket. Throws `NftError('ABORTED')` when the signal of the context has been given; what has begun is too
 * short to be stopped.
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
      const { withRules } = await import('./refused-rules.ts')
      throw withRules(error, socket)
    }
  })
}

/** The way back of a change: registered before anything is written, it does something only after it was. */
export interface WayBack {
  /** What was there; `undefined`: none of the tables. */
  before: Snapshot | undefined
  written: boolean
  /** Tells the context of it, once. */
  register(): void
  undo(): Promise<void>
}

/** The way back to what is in some tables. */
export function wayBack({ place, nft }: Work, tables: readonly TableName[]): WayBack {
  let registered = false
  const way: WayBack = {
    before: undefined,
    written: false,
    register() {
      if (!registered) place.undo?.(way.undo)
      registered = true
    },
    async undo() {
      if (!way.written) return
      const { putBack } = await import('./put-back.ts')
      // Also after an abort.
      await withSocket(place.netns, nft, (socket) => putBack(socket, tables, way.before))
      way.written = false
    },
  }
  return way
}

/** The report of something that has been done. */
export function changeOf(nft: Nft, began: number, { written, undo }: WayBack): Change {
  return { changed: written, generation: nft.generation(), durationMs: performance.now() - began, undo }
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
