// Constants from the kernel header <linux/if_addr.h>.
export const IFA_ADDRESS = 1
export const IFA_LOCAL = 2
export const IFA_LABEL = 3
export const IFA_BROADCAST = 4
export const IFA_CACHEINFO = 6
export const IFA_FLAGS = 8
export const IFA_RT_PRIORITY = 9

export const IFA_F_NODAD = 0x02
export const IFA_F_DADFAILED = 0x08
export const IFA_F_TENTATIVE = 0x40
export const IFA_F_NOPREFIXROUTE = 0x200

/** Size in bytes of the kernel's struct ifaddrmsg. */
export const IFADDRMSG = 8
/** Kernel's lifetime value for an IP address that never expires. */
export const FOREVER = 0xffffffff

export const scopeNumbers = { universe: 0, site: 200, link: 253, host: 254 } as const
