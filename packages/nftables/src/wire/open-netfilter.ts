import type { NetnsTarget } from '@cni/netns'
import { isNetnsError } from '@cni/netns/handle'
import { type Channel, type NetlinkSocket, openNetlink, openNetlinkSocket } from '@cni/netns/netlink'
import { errnoOf } from '@cni/types'
import { NftError } from './nft-error.ts'

/** Receive buffer in bytes: room for thousands of refusals. */
const RECEIVE_BUFFER = 4_000_000

/** Opens a channel to netfilter in a namespace. Throws `NftError('UNSUPPORTED')` if the kernel has no nfnetlink. */
export function openNetfilter(target: NetnsTarget): Channel {
  return inOurWords(() => openNetlink(target, 'netfilter', { receiveBuffer: RECEIVE_BUFFER }))
}

/**
 * Opens a socket that receives the messages of a group. Throws `NftError('UNSUPPORTED')` without nfnetlink in the
 * kernel, `NftError('DENIED')` without root in the namespace.
 */
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
    // A `NetnsError` means that the namespace could not be entered.
    if (errno === 'EPERM' && !isNetnsError(cause)) {
      throw new NftError('DENIED', 'Listen to netfilter: EPERM, needs root: CAP_NET_ADMIN in the namespace', { cause })
    }
    throw cause
  }
}
