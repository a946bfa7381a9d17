import { iptables } from '@cni/iptables'
import { type NetnsTarget, readFile } from '@cni/netns'
import { type Netns, type NetnsContext, placeOf } from '@cni/netns/handle'
import { openNft } from '@cni/nftables/wire'
import type { Backend } from '../backend.ts'
import { clearNativeTables, hasNativeTables } from './native-tables.ts'

/** Removes unrecorded rules of another back end, because rules of both would process each packet. */
export async function removeUnrecorded(c: NetnsContext, next: Backend): Promise<void> {
  if (next !== 'nftables') await clearNativeTables(c)
  else if (await mayHaveChains(placeOf(c, 'leaveUnrecorded').netns)) await iptables(c).removeChains('ISTIO_')
}

/** True if the namespace may have rules that the plugin wrote with a back end other than `next`. */
export async function hasUnrecorded(netns: Netns, next: Backend): Promise<boolean> {
  return next === 'nftables' ? mayHaveChains(netns) : hasNativeTables(netns)
}

/** True if the namespace may have iptables rules. Reads netlink first, because programs are slow. */
async function mayHaveChains(netns: NetnsTarget): Promise<boolean> {
  using nft = openNft(netns)
  if (nft.chains().some(({ family, chain }) => family !== 'inet' && chain.startsWith('ISTIO_'))) return true
  const names = await Promise.all(
    ['ip', 'ip6'].map((family) => readFile(netns, `/proc/thread-self/net/${family}_tables_names`)),
  )
  return names.some((text) => text !== undefined && text !== '')
}
