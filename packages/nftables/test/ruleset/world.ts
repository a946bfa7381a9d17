import type { NetnsContext } from '@cni/netns/handle'
import type { Nftables } from '@cni/nftables'
import type { Nft } from '@cni/nftables/wire'

/** nftables without tables, of a namespace or of a fake. */
export interface RulesetWorld extends AsyncDisposable {
  readonly tables: Nftables
  /** Opens the kernel with a context that collects rollbacks. */
  readonly undoable: Nftables
  /** Opens the kernel with a context whose signal is aborted. */
  readonly aborted: Nftables
  /** Runs the collected rollbacks, the last first. */
  undo(): Promise<void>
  /** Another program's socket. */
  readonly nft: Nft
}

/** A world over open sockets: `nft` belongs to another program, `open` opens the tables. */
export function worldOver(
  nft: Nft,
  open: (context?: Omit<NetnsContext, 'netns'>) => Nftables,
  dispose: () => PromiseLike<void> = async () => {},
): RulesetWorld {
  const ways: (() => unknown)[] = []
  return {
    nft,
    tables: open(),
    undoable: open({ undo: (way) => ways.push(way) }),
    aborted: open({ signal: AbortSignal.abort() }),
    async undo() {
      for (const way of ways.splice(0).toReversed()) await way()
    },
    async [Symbol.asyncDispose]() {
      nft.close()
      await dispose()
    },
  }
}
