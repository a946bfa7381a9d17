/** Kernel constants, equal on all supported architectures (x64, arm64). */
export const CLONE_NEWNS = 0x00020000
export const CLONE_NEWNET = 0x40000000

export const MS_RDONLY = 0x1
export const MS_REMOUNT = 0x20
export const MS_BIND = 0x1000
export const MS_REC = 0x4000
export const MS_PRIVATE = 0x40000
export const MS_SLAVE = 0x80000
export const MS_SHARED = 0x100000
export const MNT_DETACH = 0x2
export const UMOUNT_NOFOLLOW = 0x8

export const CLONE_FS = 0x200
export const LOCK_EX = 2
export const LOCK_NB = 4

export const AF_NETLINK = 16
export const SOCK_RAW = 3
export const SOCK_CLOEXEC = 0x80000
export const MSG_TRUNC = 0x20
export const MSG_DONTWAIT = 0x40
