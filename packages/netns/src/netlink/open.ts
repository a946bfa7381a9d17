import { run } from '../enter/runner.ts'
import type { NetnsTarget } from '../handle/netns.ts'
import { loadSys } from '../sys/load-sys.ts'
import { type Channel, channelOver } from './channel.ts'
import { type NetlinkOptions, type NetlinkSocket, openSocket } from './socket.ts'

/**
 * Opens a channel to a part of the kernel inside a namespace. It stays there: use it from outside, and close it.
 * Throws a `NetnsError` when the namespace cannot be entered (`NO_FFI`, `CLOSED` …), a `SysError` when the kernel gives
 * no socket (`EMFILE` …).
 *
 * @example
 * using channel = openNetlink(pod, NETLINK_ROUTE)
 * const links = channel.dump({ type: RTM_GETLINK, fixed: new Uint8Array(16), what: 'List links' })
 */
export function openNetlink(
  target: NetnsTarget,
  protocol: number,
  options?: Pick<NetlinkOptions, 'receiveBuffer' | 'strict'>,
): Channel {
  return channelOver(openNetlinkSocket(target, protocol, options))
}

/** The same without questions and answers: for {@link events}. A group that needs a privilege is a `SysError` `EPERM`. */
export function openNetlinkSocket(target: NetnsTarget, protocol: number, options?: NetlinkOptions): NetlinkSocket {
  return run(target, () => openSocket(loadSys(), protocol, options))
}
