import { closeSync } from 'node:fs'
import { SOCK_CLOEXEC } from '../sys/constants.ts'
import { isSysError, type Sys } from '../sys/sys.ts'

const SOCK_STREAM = 1

/**
 * Closes a socket without the wait for what the kernel still has to free: whoever closes it last waits. So the socket goes
 * into a pair of unix sockets that hold nothing but each other, and it. The kernel finds such circles, and closes what is
 * in them in a thread of its own (since Linux 6.9; before, closing the pair waits as closing the socket would).
 */
export function leaveSocket(sys: Sys, fd: number): void {
  const open = [fd]
  try {
    const pair = sys.socketpair(SOCK_STREAM | SOCK_CLOEXEC)
    open.push(...pair)
    sys.sendDescriptors(pair[0], [fd, ...pair])
  } catch (error) {
    // Too many descriptors, or sockets that are forbidden: then the close waits.
    if (!isSysError(error)) throw error
  } finally {
    for (const each of open) closeSync(each)
  }
  collect(sys)
}

/** The kernel looks for circles when a unix socket goes, and these do not go by themselves. */
function collect(sys: Sys): void {
  try {
    for (const each of sys.socketpair(SOCK_STREAM | SOCK_CLOEXEC)) closeSync(each)
  } catch (error) {
    // The next unix socket of whomever does it.
    if (!isSysError(error)) throw error
  }
}
