// Errors with name, number and text from libuv (uv.h, UV_ERRNO_MAP). Node's error messages begin with name and text.
const table: Readonly<Record<number, readonly [name: string, text: string]>> = {
  1: ['EPERM', 'operation not permitted'],
  2: ['ENOENT', 'no such file or directory'],
  3: ['ESRCH', 'no such process'],
  4: ['EINTR', 'interrupted system call'],
  5: ['EIO', 'i/o error'],
  6: ['ENXIO', 'no such device or address'],
  7: ['E2BIG', 'argument list too long'],
  8: ['ENOEXEC', 'exec format error'],
  9: ['EBADF', 'bad file descriptor'],
  10: ['ECHILD', 'no child processes'],
  11: ['EAGAIN', 'resource temporarily unavailable'],
  12: ['ENOMEM', 'not enough memory'],
  13: ['EACCES', 'permission denied'],
  14: ['EFAULT', 'bad address in system call argument'],
  16: ['EBUSY', 'resource busy or locked'],
  17: ['EEXIST', 'file already exists'],
  18: ['EXDEV', 'cross-device link not permitted'],
  19: ['ENODEV', 'no such device'],
  20: ['ENOTDIR', 'not a directory'],
  21: ['EISDIR', 'illegal operation on a directory'],
  22: ['EINVAL', 'invalid argument'],
  23: ['ENFILE', 'file table overflow'],
  24: ['EMFILE', 'too many open files'],
  25: ['ENOTTY', 'inappropriate ioctl for device'],
  26: ['ETXTBSY', 'text file is busy'],
  27: ['EFBIG', 'file too large'],
  28: ['ENOSPC', 'no space left on device'],
  29: ['ESPIPE', 'invalid seek'],
  30: ['EROFS', 'read-only file system'],
  31: ['EMLINK', 'too many links'],
  32: ['EPIPE', 'broken pipe'],
  34: ['ERANGE', 'result too large'],
  36: ['ENAMETOOLONG', 'name too long'],
  38: ['ENOSYS', 'function not implemented'],
  39: ['ENOTEMPTY', 'directory not empty'],
  40: ['ELOOP', 'too many symbolic links encountered'],
  61: ['ENODATA', 'no data available'],
  71: ['EPROTO', 'protocol error'],
  75: ['EOVERFLOW', 'value too large for defined data type'],
  84: ['EILSEQ', 'illegal byte sequence'],
  88: ['ENOTSOCK', 'socket operation on non-socket'],
  89: ['EDESTADDRREQ', 'destination address required'],
  90: ['EMSGSIZE', 'message too long'],
  91: ['EPROTOTYPE', 'protocol wrong type for socket'],
  92: ['ENOPROTOOPT', 'protocol not available'],
  93: ['EPROTONOSUPPORT', 'protocol not supported'],
  94: ['ESOCKTNOSUPPORT', 'socket type not supported'],
  95: ['ENOTSUP', 'operation not supported on socket'],
  97: ['EAFNOSUPPORT', 'address family not supported'],
  98: ['EADDRINUSE', 'address already in use'],
  99: ['EADDRNOTAVAIL', 'address not available'],
  100: ['ENETDOWN', 'network is down'],
  101: ['ENETUNREACH', 'network is unreachable'],
  103: ['ECONNABORTED', 'software caused connection abort'],
  104: ['ECONNRESET', 'connection reset by peer'],
  105: ['ENOBUFS', 'no buffer space available'],
  106: ['EISCONN', 'socket is already connected'],
  107: ['ENOTCONN', 'socket is not connected'],
  110: ['ETIMEDOUT', 'connection timed out'],
  111: ['ECONNREFUSED', 'connection refused'],
  112: ['EHOSTDOWN', 'host is down'],
  113: ['EHOSTUNREACH', 'host is unreachable'],
  114: ['EALREADY', 'connection already in progress'],
  122: ['EDQUOT', 'disk quota exceeded'],
  125: ['ECANCELED', 'operation canceled'],
}

/** Returns the name of a positive or negative error number, such as `ENOENT`. */
export const errnoName = (errno: number): string => table[Math.abs(errno)]?.[0] ?? `ERRNO_${Math.abs(errno)}`

/** Returns all error names with their positive numbers, as in Node's `os.constants.errno`. */
export const errnoNumbers = (): Record<string, number> =>
  Object.fromEntries(Object.entries(table).map(([number, [name]]) => [name, Number(number)]))

/** Creates an error with the members of Node's system errors (`code`, `errno`, `syscall` …). */
export interface SystemError extends Error {
  errno: number
  code: string
  syscall: string
  path?: string
  dest?: string
}

/** Creates Node's error for a failed file function. `result` is `-errno`. */
export function fileError(result: number, syscall: string, path?: string, dest?: string): SystemError {
  const code = errnoName(result)
  const text = table[-result]?.[1] ?? 'unknown error'
  const from = path === undefined ? '' : ` '${path}'`
  const to = dest === undefined ? '' : ` -> '${dest}'`
  const error = new Error(`${code}: ${text}, ${syscall}${from}${to}`)
  return Object.assign(error, {
    errno: result,
    code,
    syscall,
    ...(path === undefined ? {} : { path }),
    ...(dest === undefined ? {} : { dest }),
  })
}

/** Creates Node's error for a failed socket, pipe or process function, such as `connect ECONNREFUSED /run/x.sock`. */
export function callError(result: number, syscall: string, about = ''): SystemError {
  const code = errnoName(result)
  return Object.assign(new Error(`${syscall} ${code}${about === '' ? '' : ` ${about}`}`), {
    errno: result,
    code,
    syscall,
  })
}
