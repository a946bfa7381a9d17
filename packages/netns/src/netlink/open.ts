import { run } from '../enter/runner.ts'
import type { NetnsTarget } from '../handle/netns.ts'
import { loadSys } from '../sys/load-sys.ts'
import { type Channel, channelFrom } from './channel.ts'
import { NETLINK_NETFILTER, NETLINK_ROUTE } from './constants.ts'
import { type NetlinkSocket, openSocket } from './socket.ts'

/**
 * Opens a channel to a netlink family in a namespace. The socket stays in that namespace; close the channel after use.
 * Throws a `NetnsError` (`NO_FFI`, `CLOSED` …) if the namespace cannot be entered. Throws a `SysError` (`EMFILE` …) if
 * the kernel refuses a socket.
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

/**
 * Opens a netlink socket for {@link events}, without methods for requests. Throws `SysError` `EPERM` if this process
 * lacks the privilege for a multicast group.
 */
export function openNetlinkSocket(
  target: NetnsTarget,
  protocol: 'route' | 'netfilter' | number,
  options?: {
    /** Numbers of the netlink multicast groups to receive. Do not send requests through a socket with groups. */
    readonly groups?: readonly number[] | undefined
    /**
     * Size of the socket's receive buffer in bytes. The kernel's limit applies unless this process has CAP_NET_ADMIN on
     * the node.
     */
    readonly receiveBuffer?: number | undefined
    /** True to have the kernel check and apply the filters in dump requests (NETLINK_GET_STRICT_CHK, Linux 4.20). */
    readonly strict?: boolean | undefined
  },
): NetlinkSocket {
  return run(target, () =>
    openSocket(loadSys(), typeof protocol === 'number' ? protocol : protocols[protocol], options),
  )
}
