// Constants from the kernel header <linux/rtnetlink.h>.
export const RTA_DST = 1
export const RTA_OIF = 4
export const RTA_GATEWAY = 5
export const RTA_PRIORITY = 6
export const RTA_PREFSRC = 7
export const RTA_METRICS = 8
export const RTA_MULTIPATH = 9
export const RTA_CACHEINFO = 12
export const RTA_TABLE = 15
export const RTA_PREF = 20
export const RTA_PAD = 24
export const RTA_UID = 25

export const RTAX_MTU = 2
export const RTAX_ADVMSS = 8
export const RTNH_F_ONLINK = 4
export const RTPROT_BOOT = 3

/** Sizes in bytes of the kernel's struct rtmsg and struct rtnexthop. */
export const RTMSG = 12
export const RTNEXTHOP = 8

export const types = [
  'unspec',
  'unicast',
  'local',
  'broadcast',
  'anycast',
  'multicast',
  'blackhole',
  'unreachable',
  'prohibit',
  'throw',
  'nat',
] as const
export const scopeNumbers = { universe: 0, site: 200, link: 253, host: 254, nowhere: 255 } as const
