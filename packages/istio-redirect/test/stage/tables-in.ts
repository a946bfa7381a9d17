import type { Netns } from '@cni/netns'
import { openNft } from '@cni/nftables/wire'

/** Lists the nftables tables of the family `inet` in a network namespace. */
export function inetTablesIn(target: Netns): readonly string[] {
  using nft = openNft(target)
  return nft.tables({ family: 'inet' }).map(({ table }) => table)
}
