import { type Attribute, be16, be32, type Channel, cString } from '@cni/netns/netlink'

const NLA_F_NESTED = 0x8000
export const NLM_F_ACK = 0x4
export const NLM_F_EXCL = 0x200

/** Numbers of ip_set's netlink commands, from `linux/netfilter/ipset/ip_set.h`. */
export const CMD_PROTOCOL = 1
export const CMD_CREATE = 2
export const CMD_DESTROY = 3
export const CMD_FLUSH = 4
export const CMD_RENAME = 5
export const CMD_SWAP = 6
export const CMD_LIST = 7
export const CMD_ADD = 9
export const CMD_DEL = 10
export const CMD_TEST = 11
export const CMD_HEADER = 12

/** Numbers of netlink attributes in a message to ip_set. */
const ATTR_PROTOCOL = 1
export const ATTR_SETNAME = 2
export const ATTR_TYPENAME = 3
export const ATTR_SETNAME2 = 3
export const ATTR_REVISION = 4
export const ATTR_FAMILY = 5
export const ATTR_FLAGS = 6
export const ATTR_DATA = 7
export const ATTR_ADT = 8
export const ATTR_LINENO = 9

/** Numbers of netlink attributes that describe sets as well as entries. */
export const ATTR_IP = 1
export const ATTR_IP_TO = 2
export const ATTR_CIDR = 3
export const ATTR_PORT = 4
export const ATTR_PORT_TO = 5
export const ATTR_TIMEOUT = 6
export const ATTR_PROTO = 7
export const ATTR_CADT_FLAGS = 8
export const ATTR_MARK = 10
export const ATTR_MARKMASK = 11
export const ATTR_BITMASK = 12

/** Numbers of netlink attributes that describe a set. */
export const ATTR_HASHSIZE = 18
export const ATTR_MAXELEM = 19
export const ATTR_NETMASK = 20
export const ATTR_SIZE = 23
export const ATTR_ELEMENTS = 24
export const ATTR_REFERENCES = 25

/** Numbers of netlink attributes that describe an entry of a set. */
export const ATTR_ETHER = 17
export const ATTR_NAME = 18
export const ATTR_IP2 = 20
export const ATTR_CIDR2 = 21
export const ATTR_IFACE = 23
export const ATTR_BYTES = 24
export const ATTR_PACKETS = 25
export const ATTR_COMMENT = 26

export const FLAG_LIST_HEADER = 4

export const FLAG_PHYSDEV = 2
export const FLAG_NOMATCH = 4
export const FLAG_WITH_COUNTERS = 8
export const FLAG_WITH_COMMENT = 16
export const FLAG_WITH_FORCEADD = 32
export const FLAG_WITH_SKBINFO = 64

/** Length of a netlink message header (`nlmsghdr`) in bytes. */
export const NLMSGHDR = 16

/** Length of the header `nfgenmsg` in bytes: address family, version, resource id. */
export const NFGENMSG = 4

const NFNL_SUBSYS_IPSET = 6

// Version of the ip_set protocol that all kernels since 2.6.39 support.
const PROTOCOL = Uint8Array.of(6)

/** A netlink message to ip_set, with a description of the request for error messages. */
export interface IpsetRequest {
  /** Description of the request, as the beginning of an error message: `Test 10.0.0.5 in set a`. */
  readonly what: string
  readonly command: number
  readonly flags?: number
  readonly attributes: readonly Attribute[]
  /** Type of the set to which the request refers. Missing if the type is unknown. */
  readonly type?: string
  /** Returns the text for a refused entry of the request. `number` counts the entries from 1. */
  readonly about?: (number: number) => string
}

/** Converts a request to the message that a netlink channel sends. */
export const message = ({ what, command, flags, attributes }: IpsetRequest): Parameters<Channel['get']>[0] => ({
  what,
  type: (NFNL_SUBSYS_IPSET << 8) | command,
  flags,
  fixed: new Uint8Array(NFGENMSG),
  attributes: [[ATTR_PROTOCOL, PROTOCOL], ...attributes],
})

/** Encodes a set's name as a netlink attribute. `type` is the attribute number. */
export const nameAttribute = (name: string, type = ATTR_SETNAME): Attribute => [type, cString(name)]

/** Flag of a netlink attribute for network byte order, which ip_set requires for numbers. */
export const NET_ORDER = 0x4000

export const number16 = (type: number, value: number): Attribute => [type | NET_ORDER, be16(value)]

export const number32 = (type: number, value: number): Attribute => [type | NET_ORDER, be32(value)]

/** Netlink attribute that contains other attributes, given as encoded bytes. */
export const nested = (type: number, bytes: Uint8Array): Attribute => [type | NLA_F_NESTED, bytes]
