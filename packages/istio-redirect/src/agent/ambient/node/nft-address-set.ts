import { hostTable, probeSetNames } from '@cni/istio-rules'
import type { NetnsTarget } from '@cni/netns'
import { nftables } from '@cni/nftables'
import { openNft } from '@cni/nftables/wire'
import type { AddressSet, SetEdit } from './address-set.ts'

/** Creates an address set of the node as a set in the node's nftables table. */
export function nftSetOf(netns: NetnsTarget, family: 'ipv4' | 'ipv6'): AddressSet {
  const key = family === 'ipv4' ? 'ipv4_addr' : 'ipv6_addr'
  const set = nftables(netns).set({ family: 'inet', table: hostTable }, { name: probeSetNames[family], key })
  const list = async () =>
    (await set.list()).map(({ key: address, comment }) => ({ address: String(address), uid: comment }))
  const write = async (edit: SetEdit): Promise<SetEdit> => {
    if (edit.removed.length > 0) await set.delete(edit.removed.map(({ address }) => address))
    if (edit.added.length > 0) await set.add(edit.added.map(({ address, uid }) => ({ key: address, comment: uid })))
    return edit
  }
  return {
    family,
    create: async () => {},
    list,
    async generation() {
      using nft = openNft(netns)
      return nft.generation()
    },
    edit: async (plan) => write(plan(await list())),
    write,
    destroy: async () => {},
  }
}
