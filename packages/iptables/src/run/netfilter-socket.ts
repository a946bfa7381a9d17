import { type NetnsTarget, run } from '@cni/netns'
import { constants, type Sys } from '@cni/netns/sys'

const NETLINK_NETFILTER = 12
/** The size of `sockaddr_nl`. */
const ADDRESS_BYTES = 12

/** A socket to the netfilter subsystem of a namespace; it stays there, wherever the thread goes. To be closed by the caller. */
export const openNetfilter = (sys: Sys, target: NetnsTarget): number =>
  run(target, () => sys.socket(constants.AF_NETLINK, constants.SOCK_RAW | constants.SOCK_CLOEXEC, NETLINK_NETFILTER))

/** The kernel's address on it, or our own with the multicast groups to hear (a bit for each). */
export function netlinkAddress(groups = 0): Buffer {
  const address = Buffer.alloc(ADDRESS_BYTES)
  address.writeUInt16LE(constants.AF_NETLINK, 0)
  address.writeUInt32LE(groups, 8)
  return address
}
