/** Constants common to all netlink families. Each family's own constants are in the package for that family. */
export const NETLINK_ROUTE = 0
export const NETLINK_NETFILTER = 12

export const NLMSG_NOOP = 1
export const NLMSG_ERROR = 2
export const NLMSG_DONE = 3
export const NLMSG_OVERRUN = 4

export const NLM_F_REQUEST = 0x1
export const NLM_F_MULTI = 0x2
export const NLM_F_ACK = 0x4
export const NLM_F_DUMP_INTR = 0x10

/** Flags of netlink requests that read objects. */
export const NLM_F_DUMP = 0x300

/** Flags of netlink requests that create objects. */
export const NLM_F_REPLACE = 0x100
export const NLM_F_EXCL = 0x200
export const NLM_F_CREATE = 0x400

/** Flags of netlink acknowledgements. */
export const NLM_F_CAPPED = 0x100
export const NLM_F_ACK_TLVS = 0x200

export const NLA_F_NESTED = 0x8000
export const NLA_TYPE_MASK = 0x3fff

/** Sizes in bytes of a netlink message header and of an attribute header. */
export const NLMSG_HDRLEN = 16
export const NLA_HDRLEN = 4
