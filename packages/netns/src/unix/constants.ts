/** Linux constants for sockets and errno, equal on x64 and arm64. */
export const AF_UNIX = 1
export const SOCK_STREAM = 1
export const SOCK_SEQPACKET = 5
export const SOCK_NONBLOCK = 0x800
export const SOL_SOCKET = 1
export const SO_PEERCRED = 17
export const SCM_RIGHTS = 1
/** Maximum number of descriptors that the kernel accepts with one message. */
export const SCM_MAX_FD = 253

export const MSG_CTRUNC = 0x8
export const MSG_NOSIGNAL = 0x4000
export const MSG_CMSG_CLOEXEC = 0x4000_0000

export const EINTR = 4
export const EAGAIN = 11
export const ENFILE = 23
export const EMFILE = 24
export const ECONNABORTED = 103
export const ECONNRESET = 104
