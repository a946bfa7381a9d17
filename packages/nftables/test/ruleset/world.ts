import type { NetnsContext } from '@cni/netns/handle'
import type { Nftables } from '@cni/nftables'
import type { Nft } from '@cni/nftables/wire'

/** nftables of a namespace, or of a fake, without any table. */
export interface RulesetWorld extends AsyncDisposable {
  readonly tables: Nftables
  /** With a context that collects ways back. */
  readonly undoable: Nftables
  /** With a context whose signal has been given. */
  readonly aborted: Nftables
  /** Goes them, the last first. */
  undo(): Promise<void>
  /** Another program's socket. */
  readonly nft: Nft
}

/** A world over sockets that are open: another program's, and whatever `tables` are opened with. */
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
