import type { NetnsTarget } from '@cni/netns'
import { isNetnsError } from '@cni/netns/handle'
import { type Channel, type NetlinkSocket, openNetlink, openNetlinkSocket } from '@cni/netns/netlink'
import { errnoOf } from '@cni/types'
import { NftError } from './nft-error.ts'

/** Room for thousands of refusals. */
const RECEIVE_BUFFER = 4_000_000

/** A channel to netfilter in a namespace. Throws `NftError('UNSUPPORTED')` without nfnetlink in the kernel. */
export function openNetfilter(target: NetnsTarget): Channel {
  return inOurWords(() => openNetlink(target, 'netfilter', { receiveBuffer: RECEIVE_BUFFER }))
}

/** A socket that hears what a group is told. Throws the same, and `NftError('DENIED')` without root in the namespace. */
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
    // Not one of entering the namespace.
    if (errno === 'EPERM' && !isNetnsError(cause)) {
      throw new NftError('DENIED', 'Hear of netfilter: EPERM, needs root: CAP_NET_ADMIN in the namespace', { cause })
    }
    throw cause
  }
}
