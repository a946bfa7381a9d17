import { SysError } from '@cni/netns/sys'

const ERRNOS = {
  EPERM: 1,
  ENOENT: 2,
  E2BIG: 7,
  EACCES: 13,
  EEXIST: 17,
  EINVAL: 22,
  ENOTEMPTY: 39,
  ENOTSUPP: 524,
} as const

/** Throws the error with which the real kernel would refuse a system call. */
export function refuse(code: keyof typeof ERRNOS, call = 'bpf'): never {
  throw new SysError(call, code, ERRNOS[code], '')
}
