import { closeSync } from 'node:fs'
import { SOCK_CLOEXEC } from '../sys/constants.ts'
import { isSysError, type Sys } from '../sys/sys.ts'

const SOCK_STREAM = 1

/**
 * Closes a socket without waiting for the kernel's cleanup, which delays the last process that closes it. Puts the
 * socket into a pair of unix sockets that hold only each other and the socket. The kernel detects such cycles and
 * closes their contents in a kernel thread (since Linux 6.9; before, closing the pair waits as well).
 */
export function leaveSocket(sys: Sys, fd: number): void {
  const open = [fd]
  try {
    const pair = sys.socketpair(SOCK_STREAM | SOCK_CLOEXEC)
    open.push(...pair)
    sys.sendDescriptors(pair[0], [fd, ...pair])
  } catch (error) {
    // The process has too many descriptors, or unix sockets are forbidden. Then closing the socket waits for the
    // cleanup.
    if (!isSysError(error)) throw error
  } finally {
    for (const each of open) closeSync(each)
  }
  collect(sys)
}

/**
 * The kernel searches for cycles when a unix socket is closed. Closing the sockets of the cycle does not start that
 * search.
 */
function collect(sys: Sys): void {
  try {
    for (const each of sys.socketpair(SOCK_STREAM | SOCK_CLOEXEC)) closeSync(each)
  } catch (error) {
    // Ignores the error: the next close of a unix socket, by any process, starts the search.
    if (!isSysError(error)) throw error
  }
}
