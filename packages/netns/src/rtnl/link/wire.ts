import { NetnsError } from '../../handle/netns-error.ts'
import type { Attribute } from '../../netlink/encode.ts'
import { cString } from '../../netlink/values.ts'
import { checkInteger, describeValue } from '../check.ts'
import type { LinkRef } from '../port/link.ts'

// Constants from the kernel header <linux/if_link.h>.
export const IFLA_ADDRESS = 1
export const IFLA_IFNAME = 3
export const IFLA_MTU = 4
export const IFLA_LINK = 5
export const IFLA_MASTER = 10
export const IFLA_TXQLEN = 13
export const IFLA_LINKINFO = 18
export const IFLA_IFALIAS = 20
export const IFLA_NET_NS_FD = 28
export const IFLA_LINK_NETNSID = 37
export const IFLA_INFO_KIND = 1
export const IFLA_INFO_DATA = 2
export const IFLA_INFO_SLAVE_KIND = 4
export const IFLA_INFO_SLAVE_DATA = 5
export const VETH_INFO_PEER = 1

export const IFF_UP = 0x1
export const IFF_LOOPBACK = 0x8
export const IFF_RUNNING = 0x40
export const IFF_PROMISC = 0x100
export const IFF_ALLMULTI = 0x200

/** Size in bytes of the kernel's struct ifinfomsg. */
export const IFINFOMSG = 16

/** Encodes the fixed part of a message about a link. `change` is a mask for `flags`. */
export function linkHeader(index: number, flags = 0, change = 0): Uint8Array {
  const bytes = Buffer.alloc(IFINFOMSG)
  bytes.writeInt32LE(index, 4)
  bytes.writeUInt32LE(flags, 8)
  bytes.writeUInt32LE(change, 12)
  return bytes
}

/** Encodes a link's name as a netlink attribute. Throws `NetnsError('INVALID')` for an invalid name. */
export function linkName(name: string): Attribute {
  const length = typeof name === 'string' ? Buffer.byteLength(name) : 0
  // Follows the kernel's dev_valid_name, whose limit IFNAMSIZ (16) includes the NUL.
  if (length === 0 || length > 15 || name === '.' || name === '..' || /[/:\s\0]/.test(name)) {
    throw new NetnsError(
      'INVALID',
      `Not an interface name: ${describeValue(name)}; at most 15 bytes, no blanks, / or :`,
    )
  }
  return [IFLA_IFNAME, cString(name)]
}

/** Selects the link of a request by its index or its name. */
export function linkSelector(link: LinkRef): { index: number; attributes: Attribute[] } {
  if (typeof link === 'string') return { index: 0, attributes: [linkName(link)] }
  const index = typeof link === 'number' ? link : link.index
  return { index: checkInteger(index, 1, 0x7fffffff, 'Index of a link'), attributes: [] }
}

/** Formats the name or index of a link for error messages. */
export function linkText(link: LinkRef): string {
  if (typeof link === 'number') return `number ${link}`
  return JSON.stringify(typeof link === 'string' ? link : link.name)
}
