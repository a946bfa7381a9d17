/**
 * Encodes netlink messages, sends requests and reads the kernel's answers. This entry point contains no code of a
 * netlink family.
 *
 * @example
 * ```ts
 * import { netns } from '@cni/netns'
 * import { decodeAttributes, openNetlink, readCString } from '@cni/netns/netlink'
 *
 * const RTM_GETLINK = 18
 * const IFINFOMSG = 16
 * const IFLA_IFNAME = 3
 *
 * using pod = netns.open('/run/netns/cni-7f3a')
 * using channel = openNetlink(pod, 'route')
 * const links = channel.dump({ type: RTM_GETLINK, fixed: new Uint8Array(IFINFOMSG), what: 'List links' })
 * export const names = links.map(({ body }) => {
 *   const name = decodeAttributes(body, IFINFOMSG).find(([type]) => type === IFLA_IFNAME)
 *   return readCString(name?.[1])
 * })
 * ```
 *
 * @module
 */

export { watchReadable } from '../ready/readable.ts'
export { type Channel, channelFrom } from './channel.ts'
export { attributeMap, decodeAttributes, decodeMessages, eachAttribute, type Message } from './decode.ts'
export { type Attribute, encodeAttributes, encodeMessage } from './encode.ts'
export { events } from './events.ts'
export { isNetlinkError, NetlinkError } from './netlink-error.ts'
export { openNetlink, openNetlinkSocket } from './open.ts'
export type { NetlinkSocket } from './socket.ts'
export {
  be16,
  be32,
  be64,
  cString,
  readBe16,
  readBe32,
  readBe64,
  readCString,
  readU32,
  u32,
} from './values.ts'
export { MessageWriter } from './writer.ts'
