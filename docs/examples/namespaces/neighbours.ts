import type { NetnsTarget } from '@cni/netns'
import { attributeMap, openNetlink } from '@cni/netns/netlink'
import { formatAddress } from '@cni/types/ip'

// Constants of <linux/neighbour.h>, for a netlink request that lists neighbours.
const RTM_GETNEIGH = 30
const NDMSG = 12 // size of the kernel's struct ndmsg, which precedes the attributes of a netlink message
const NDA_DST = 1

/** Lists the addresses in the neighbour tables (ARP and NDP) of a namespace. */
export function neighbours(where: NetnsTarget): string[] {
  using channel = openNetlink(where, 'route')
  const request = { type: RTM_GETNEIGH, fixed: new Uint8Array(NDMSG), what: 'List neighbours' }
  return channel.dump(request).flatMap(({ body }) => {
    const address = attributeMap(body, NDMSG).get(NDA_DST)
    return address === undefined ? [] : [formatAddress(address)]
  })
}
