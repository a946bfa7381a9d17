import { closeSync } from 'node:fs'
import { SOCK_CLOEXEC } from '../sys/constants.ts'
import { isSysError, type Sys } from '../sys/sys.ts'

const SOCK_STREAM = 1

/**
 * Closes a netlink socket without waiting for the kernel's cleanup. An ordinary close waits unless another process has
 * the socket open. Sends the descriptors of the netlink socket and of a unix socket pair through that pair, then closes
 * all three. After that, only the unread message in the pair refers to the three sockets. The pair and its message
 * refer to each other: a cycle. The kernel detects such cycles and closes the sockets in a kernel thread (since Linux
 * 6.9). Before Linux 6.9, closing the pair waits as well.
 */
export function leaveSocket(sys: Sys, fd: number): void {
  const open = [fd]
  try {
    const pair = sys.socketpair(SOCK_STREAM | SOCK_CLOEXEC)
    open.push(...pair)
    sys.sendDescriptors(pair[0], [fd, ...pair])
  } catch (error) {
    // Sending the socket fails if the process has too many descriptors, or if unix sockets are forbidden. In these
    // cases, closing the socket waits for the kernel's cleanup.
    if (!isSysError(error)) throw error
  } finally {
    for (const each of open) closeSync(each)
  }
  collect(sys)
}

/**
 * Closes another pair of unix sockets to start the kernel's search for cycles of unix sockets. Closing the sockets of
 * the cycle itself does not start that search.
 */
function collect(sys: Sys): void {
  try {
    for (const each of sys.socketpair(SOCK_STREAM | SOCK_CLOEXEC)) closeSync(each)
  } catch (error) {
    // Ignores the error: any process that closes a unix socket later also starts the kernel's search for cycles.
    if (!isSysError(error)) throw error
  }
}
