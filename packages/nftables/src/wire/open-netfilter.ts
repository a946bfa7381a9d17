import type { NetnsTarget } from '@cni/netns'
import { isNetnsError } from '@cni/netns/handle'
import { type Channel, type NetlinkSocket, openNetlink, openNetlinkSocket } from '@cni/netns/netlink'
import { errnoOf } from '@cni/types'
import { NftError } from './nft-error.ts'

/** Size of a netlink socket's receive buffer in bytes: room for thousands of refused messages. */
const RECEIVE_BUFFER = 4_000_000

/**
 * Opens a netlink channel to netfilter in a namespace. Throws `NftError('UNSUPPORTED')` if the kernel has no nfnetlink.
 */
export function openNetfilter(target: NetnsTarget): Channel {
  return inOurWords(() => openNetlink(target, 'netfilter', { receiveBuffer: RECEIVE_BUFFER }))
}

/** Opens a netlink socket that receives the events of a multicast group. */
export function openGroup(
  target: NetnsTarget,
  group: number,
  options: { readonly receiveBuffer?: number },
): NetlinkSocket {
  return inOurWords(() => openNetlinkSocket(target, 'netfilter', { groups: [group], ...options }))
}

function inOurWords<T>(open: () => T): T {
  try {
    return open()
  } catch (cause) {
    const errno = errnoOf(cause)
    if (errno === 'EPROTONOSUPPORT') {
      throw new NftError('UNSUPPORTED', 'The kernel has no nfnetlink: it needs the module nfnetlink', { cause })
    }
    // Excludes a `NetnsError`, whose `EPERM` means that the process could not enter the namespace.
    if (errno === 'EPERM' && !isNetnsError(cause)) {
      throw new NftError('DENIED', 'Listen to netfilter: EPERM, needs root: CAP_NET_ADMIN in the namespace', { cause })
    }
    throw cause
  }
}
