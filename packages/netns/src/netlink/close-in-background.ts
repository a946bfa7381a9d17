import { closeSync } from 'node:fs'
import { SOCK_CLOEXEC } from '../sys/constants.ts'
import { isSysError, type Sys } from '../sys/sys.ts'

const SOCK_STREAM = 1

/**
 * Lets a kernel thread close a netlink socket, so that this process does not wait. Sends the socket and both ends of a
 * socket pair through that pair. A kernel thread finds this cycle since Linux 6.9 and closes the sockets.
 */
export function closeInBackground(sys: Sys, fd: number): void {
  const open = [fd]
  try {
    const pair = sys.socketpair(SOCK_STREAM | SOCK_CLOEXEC)
    open.push(...pair)
    sys.sendDescriptors(pair[0], [fd, ...pair])
  } catch (error) {
    // Ignores the error. The close of the netlink socket then waits for the kernel's cleanup.
    if (!isSysError(error)) throw error
  } finally {
    for (const each of open) closeSync(each)
  }
  startCollection(sys)
}

/** Starts the kernel's search for socket cycles. The close of a cycle does not start this search. */
function startCollection(sys: Sys): void {
  try {
    for (const each of sys.socketpair(SOCK_STREAM | SOCK_CLOEXEC)) closeSync(each)
  } catch (error) {
    // Ignores the error, because closing any unix socket also starts the kernel's search for cycles.
    if (!isSysError(error)) throw error
  }
}
