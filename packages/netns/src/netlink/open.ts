import { run } from '../enter/runner.ts'
import type { NetnsTarget } from '../handle/netns.ts'
import { loadSys } from '../sys/load-sys.ts'
import { type Channel, channelFrom } from './channel.ts'
import { NETLINK_NETFILTER, NETLINK_ROUTE } from './constants.ts'
import { type NetlinkSocket, openSocket } from './socket.ts'

/**
 * Opens a channel to a part of the kernel inside a namespace: `NETLINK_ROUTE`, `NETLINK_NETFILTER`, or another by its
 * number. It stays there: use it from outside, and close it.
 * Throws a `NetnsError` when the namespace cannot be entered (`NO_FFI`, `CLOSED` …), a `SysError` when the kernel gives
 * no socket (`EMFILE` …).
 *
 * @example
 * using channel = openNetlink(pod, 'route')
 * const links = channel.dump({ type: RTM_GETLINK, fixed: new Uint8Array(16), what: 'List links' })
 */
export function openNetlink(
  target: NetnsTarget,
  protocol: 'route' | 'netfilter' | number,
  options?: Pick<NonNullable<Parameters<typeof openNetlinkSocket>[2]>, 'receiveBuffer' | 'strict'>,
): Channel {
  return channelFrom(openNetlinkSocket(target, protocol, options))
}

const protocols = { route: NETLINK_ROUTE, netfilter: NETLINK_NETFILTER }

/** The same without questions and answers: for {@link events}. A group that needs a privilege is a `SysError` `EPERM`. */
export function openNetlinkSocket(
  target: NetnsTarget,
  protocol: 'route' | 'netfilter' | number,
  options?: {
    /** Multicast groups whose events to hear, by number; such a socket is not for asking. */
    readonly groups?: readonly number[] | undefined
    /** Bytes that may wait to be read. More than the node allows takes CAP_NET_ADMIN on the node, and is cut without it. */
    readonly receiveBuffer?: number | undefined
    /** Have what a dump request says checked and obeyed (NETLINK_GET_STRICT_CHK, Linux 4.20). */
    readonly strict?: boolean | undefined
  },
): NetlinkSocket {
  return run(target, () =>
    openSocket(loadSys(), typeof protocol === 'number' ? protocol : protocols[protocol], options),
  )
}
