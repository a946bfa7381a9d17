import { iptables } from '@cni/iptables'
import { readFile } from '@cni/netns'
import { type NetnsContext, placeOf } from '@cni/netns/handle'
import { openNft } from '@cni/nftables/wire'
import type { RuleBackend } from '../state/attachments.ts'

/**
 * Removes our rules of the other kind, those of iptables before native ones are written and the other way round, where no
 * record says what was there: both would see every packet.
 */
export async function leaveUnrecorded(c: NetnsContext, next: RuleBackend): Promise<void> {
  if (next !== 'nftables') {
    const { clearNativeTables } = await import('./native-tables.ts')
    clearNativeTables(c)
  } else if (await mayHaveChains(c)) await iptables(c).removeChains('ISTIO_')
}

/** Whether iptables is worth asking, which may take a program. */
async function mayHaveChains(c: NetnsContext): Promise<boolean> {
  const { netns } = placeOf(c, 'leaveUnrecorded')
  using nft = openNft(netns)
  if (nft.chains().some(({ family, chain }) => family !== 'inet' && chain.startsWith('ISTIO_'))) return true
  const names = await Promise.all(
    ['ip', 'ip6'].map((family) => readFile(netns, `/proc/thread-self/net/${family}_tables_names`)),
  )
  return names.some((text) => text !== undefined && text !== '')
}
