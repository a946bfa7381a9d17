import type { NetnsContext } from '@cni/netns/handle'
import type { Nftables } from '@cni/nftables'
import type { Nft } from '@cni/nftables/wire'

/** Kernel for contract tests of rulesets: nftables without tables, of a real namespace or of the fake kernel. */
export interface RulesetWorld extends AsyncDisposable {
  readonly tables: Nftables
  /** Methods of `nftables` with a context that collects rollbacks. The member `undo` runs the rollbacks. */
  readonly undoable: Nftables
  /** Methods of `nftables` with a context whose signal is aborted. */
  readonly aborted: Nftables
  /** Runs the collected rollbacks, the last rollback first. */
  undo(): Promise<void>
  /** Second netlink socket, by which a test acts as another program. */
  readonly nft: Nft
}

/** Creates a test kernel, in which the socket `nft` plays another program. */
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
