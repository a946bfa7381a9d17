import { debugFor } from '@cni/host/debug'
import type { NetnsTarget } from '../handle/netns.ts'
import { isNetnsError } from '../handle/netns-error.ts'
import { NETLINK_ROUTE } from '../netlink/constants.ts'
import { openNetlink } from '../netlink/open.ts'
import { type Rtnl, rtnlOver, type Transport } from './rtnl.ts'
import { traced } from './traced.ts'

/**
 * Opens an rtnetlink socket inside a namespace. The socket stays there: use it from outside, then close it.
 * Without FFI, and for `'host'` alone, the package `netlink` does it where it is installed.
 *
 * @example
 * using rtnl = await openRtnl(pod)
 * await rtnl.setLinkUp('lo')
 * const links = await rtnl.getLinks()
 */
export async function openRtnl(target: NetnsTarget): Promise<Rtnl> {
  return rtnlOver(await transportTo(target))
}

async function transportTo(target: NetnsTarget): Promise<Transport> {
  try {
    return channelTransport(target)
  } catch (error) {
    // Decided by a bundler, which then leaves out what is inside: an executable for bun always has FFI.
    if (process.versions.bun === undefined && target === 'host' && isNetnsError(error) && error.code === 'NO_FFI') {
      const { npmTransport } = await import('./npm-transport.ts')
      return npmTransport(error)
    }
    throw error
  }
}

/** Each operation is done when its call returns. */
function channelTransport(target: NetnsTarget): Transport {
  const channel = openNetlink(target, NETLINK_ROUTE, { strict: true })
  const debug = debugFor('rtnl')
  const asked = debug === undefined ? channel : traced(channel, debug)
  return { perform: async (operation) => operation(asked), close: () => channel.close() }
}
