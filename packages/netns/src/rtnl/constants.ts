export const NETLINK_ROUTE = 0

export const NLMSG_NOOP = 1
export const NLMSG_ERROR = 2
export const NLMSG_DONE = 3

export const NLM_F_REQUEST = 0x1
export const NLM_F_ACK = 0x4
export const NLM_F_DUMP_INTR = 0x10
export const NLM_F_CAPPED = 0x100
export const NLM_F_EXCL = 0x200
export const NLM_F_ACK_TLVS = 0x200
export const NLM_F_DUMP = 0x300
export const NLM_F_CREATE = 0x400

export const SOL_NETLINK = 270
export const NETLINK_CAP_ACK = 10
export const NETLINK_EXT_ACK = 11
export const NETLINK_GET_STRICT_CHK = 12

export const RTM_NEWLINK = 16
export const RTM_DELLINK = 17
export const RTM_GETLINK = 18
export const RTM_NEWADDR = 20
export const RTM_DELADDR = 21
export const RTM_GETADDR = 22
export const RTM_NEWROUTE = 24
export const RTM_DELROUTE = 25
export const RTM_GETROUTE = 26
export const RTM_NEWRULE = 32
export const RTM_DELRULE = 33
export const RTM_GETRULE = 34

export const AF_INET = 2
export const AF_INET6 = 10

export const RT_TABLE_MAIN = 254
export const RT_TABLE_LOCAL = 255
