import { hasOwnUsers } from '@cni/netns/enter'
import type { Netns } from '@cni/netns/handle'
import type { Channel } from '@cni/netns/netlink'
import { tryLoadSys } from '@cni/netns/sys'
import { type FreshNftables, openFresh as openNftables } from '@cni/nftables/fresh'
import { hasNoLegacyTable, nftIsTheNodes } from './nodes-backend.ts'

/**
 * Opens nf_tables of a namespace to write one batch of `freshBatch`. The member `fresh` is true if nf_tables contains
 * no chains of the families that iptables uses.
 *
 * Returns `undefined` in these cases:
 * - `apply` would not use netlink.
 * - Only a program can tell which back end is in use.
 * - The namespace cannot be entered.
 */
export function openFresh(
  target: Netns,
  {
    backend = 'auto',
  }: {
    /** Back end to use. `iptables-nft` skips the check of the node's programs. Default: `auto`. */
    readonly backend?: 'iptables-nft' | 'auto' | undefined
  } = {},
): FreshNftables | undefined {
  try {
    const isNft = backend === 'iptables-nft' ? hasNoLegacyTable : nftIsTheNodes
    if (tryLoadSys() === undefined || hasOwnUsers(target) || !isNft(target)) return undefined
    return openNftables(target, (channel) => !hasOurs(channel))
  } catch {
    // Ignores every error, because the caller then writes the rules with `apply`, which reports the same error.
    return undefined
  }
}

// internal

const GET_CHAIN = (10 << 8) | 4
const ANY_FAMILY = new Uint8Array(4)
/** nf_tables families that iptables uses: `AF_INET` and `AF_INET6`. */
const FAMILIES: readonly unknown[] = [2, 10]

function hasOurs(channel: Channel): boolean {
  const chains = channel.dump({ type: GET_CHAIN, fixed: ANY_FAMILY, what: 'List chains' }, { consistent: true })
  return chains.some(({ body }) => FAMILIES.includes(body[0]))
}
