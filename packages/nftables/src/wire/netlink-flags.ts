/** Flags of netlink messages. */
export const NLM_F_REQUEST = 0x1
export const NLM_F_ACK = 0x4
export const NLM_F_ECHO = 0x8

/** Flags of requests that create objects. */
export const NLM_F_REPLACE = 0x100
export const NLM_F_EXCL = 0x200
export const NLM_F_CREATE = 0x400
export const NLM_F_APPEND = 0x800
