import { closeSync, constants, fstatSync, openSync, statfsSync } from 'node:fs'
import { errnoOf } from '@cni/types'
import { namespaceKind } from './kind.ts'
import { Netns } from './netns.ts'
import { NetnsError } from './netns-error.ts'

const NSFS_MAGIC = 0x6e736673
// File system type of namespace files in Linux before 3.19: procfs instead of nsfs.
const PROCFS_MAGIC = 0x9fa0

/**
 * Opens the network namespace at a path. Throws `NetnsError`: `MISSING` (empty path), `NOT_FOUND`, `NOT_A_NAMESPACE`,
 * `INVALID`, or an errno name.
 *
 * @example
 * using pod = open('/run/netns/cni-7f3a')
 */
export function open(path: string): Netns {
  if (typeof path !== 'string' || path === '') {
    throw new NetnsError('MISSING', `No network namespace given: expected a path, got ${JSON.stringify(path) ?? path}`)
  }
  if (path.includes('\0')) {
    throw new NetnsError('INVALID', `Invalid path: ${JSON.stringify(path)} contains a NUL`, { path })
  }
  try {
    // Checks the path's file system first, because opening a device or a FIFO would have side effects.
    const { type } = statfsSync(path)
    if (type === NSFS_MAGIC || type === PROCFS_MAGIC) {
      const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
      return adopt(path, fd, type === NSFS_MAGIC)
    }
    throw notANamespace(path, `its file system has type 0x${type.toString(16)}`)
  } catch (error) {
    throw error instanceof NetnsError ? error : failure(path, error)
  }
}

/** Opens the network namespace of the calling thread. */
export function current(): Netns {
  // Uses /proc/thread-self, because /proc/self would lead to the namespace of the main thread.
  const path = '/proc/thread-self/ns/net'
  try {
    // Opens this fixed path without a check of its file system. Only paths from callers need the check.
    const fd = openSync(path, constants.O_RDONLY)
    return handleOf(path, fd)
  } catch (error) {
    throw failure(path, error)
  }
}

/** Creates a handle for a descriptor. Closes the descriptor if it is not a network namespace. */
function adopt(path: string, fd: number, onNsfs: boolean): Netns {
  try {
    const kind = namespaceKind(fd)
    if (kind === undefined && !onNsfs) throw notANamespace(path, 'it is another file of /proc')
    if (kind !== undefined && kind !== 'net') throw notANamespace(path, `it is a ${kind} namespace`)
  } catch (error) {
    closeSync(fd)
    throw error
  }
  return handleOf(path, fd)
}

function handleOf(path: string, fd: number): Netns {
  try {
    // Inode numbers of namespaces have 32 bits: a JavaScript number holds them exactly.
    const { dev, ino } = fstatSync(fd)
    return new Netns(path, fd, { dev: BigInt(dev), ino: BigInt(ino) })
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

function notANamespace(path: string, what: string): NetnsError {
  return new NetnsError('NOT_A_NAMESPACE', `Not a network namespace: ${JSON.stringify(path)} (${what})`, { path })
}

function failure(path: string, cause: unknown): NetnsError {
  const errno = errnoOf(cause) ?? 'INVALID'
  const quoted = JSON.stringify(path)
  // Treats ESRCH like a missing path: opening /proc/<pid>/ns/net fails with ESRCH while that process exits.
  if (errno === 'ENOENT' || errno === 'ESRCH') {
    return new NetnsError('NOT_FOUND', `No network namespace at ${quoted}: it does not exist`, { path, cause })
  }
  return new NetnsError(errno, `Could not open the network namespace ${quoted}: ${errno}`, { path, cause })
}
