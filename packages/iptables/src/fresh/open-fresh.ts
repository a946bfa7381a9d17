import { hasOwnUsers } from '@cni/netns/enter'
import type { Netns } from '@cni/netns/handle'
import type { Channel } from '@cni/netns/netlink'
import { tryLoadSys } from '@cni/netns/sys'
import { type FreshNftables, openFresh as openNftables } from '@cni/nftables/fresh'
import { hasNoLegacyTable, nftIsTheNodes } from './nodes-backend.ts'

/**
 * Opens nf_tables of a namespace where `apply` would write by netlink, for one batch of `freshBatch`: it is fresh where
 * nothing of iptables is there. `undefined` where `apply` would not, where only a program can tell, and for a namespace that
 * cannot be entered.
 */
export function openFresh(
  target: Netns,
  {
    backend = 'auto',
  }: {
    /** As of `apply`: `iptables-nft` where it was chosen already, whatever the node's programs are. Default: `auto`. */
    readonly backend?: 'iptables-nft' | 'auto' | undefined
  } = {},
): FreshNftables | undefined {
  try {
    const isNft = backend === 'iptables-nft' ? hasNoLegacyTable : nftIsTheNodes
    if (tryLoadSys() === undefined || hasOwnUsers(target) || !isNft(target)) return undefined
    return openNftables(target, (channel) => !hasOurs(channel))
  } catch {
    // Who writes by itself has the words for it.
    return undefined
  }
}

// internal

const GET_CHAIN = (10 << 8) | 4
const ANY_FAMILY = new Uint8Array(4)
/** Those of iptables: `AF_INET`, `AF_INET6`. */
const FAMILIES: readonly unknown[] = [2, 10]

function hasOurs(channel: Channel): boolean {
  const chains = channel.dump({ type: GET_CHAIN, fixed: ANY_FAMILY, what: 'List chains' }, { consistent: true })
  return chains.some(({ body }) => FAMILIES.includes(body[0]))
}
