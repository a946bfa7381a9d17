import { debugFor } from '@cni/host/debug'
import type { NetnsTarget } from '../handle/netns.ts'
import { isNetnsError } from '../handle/netns-error.ts'
import { NETLINK_ROUTE } from '../netlink/constants.ts'
import { openNetlink } from '../netlink/open.ts'
import { traced } from './traced.ts'
import type { Transport } from './transport.ts'

/** Opens an rtnetlink socket in a namespace. */
export async function openTransport(target: NetnsTarget): Promise<Transport> {
  try {
    return channelTransport(target)
  } catch (error) {
    // A bundler evaluates this `if`, so executables of the small runtime omit the npm package `netlink`.
    if (process.versions.cni === undefined && process.versions.bun === undefined) {
      if (target === 'host' && isNetnsError(error) && error.code === 'NO_FFI') {
        const { npmTransport } = await import('./npm-transport.ts')
        return npmTransport(error)
      }
    }
    throw error
  }
}

/** Opens an rtnetlink socket whose operations also work after `close`, because undo steps run later. */
export async function openReconnecting(target: NetnsTarget): Promise<Transport> {
  const first = await openTransport(target)
  let open = true
  return {
    async perform(operation) {
      if (open) return first.perform(operation)
      const again = await openTransport(target)
      try {
        return await again.perform(operation)
      } finally {
        again.close()
      }
    },
    close() {
      open = false
      first.close()
    },
  }
}

/**
 * Opens a netlink socket over system calls. Each operation is synchronous: the kernel has answered when the call
 * returns.
 */
function channelTransport(target: NetnsTarget): Transport {
  const channel = openNetlink(target, NETLINK_ROUTE, { strict: true })
  const debug = debugFor('rtnl')
  const asked = debug === undefined ? channel : traced(channel, debug)
  return { perform: async (operation) => operation(asked), close: () => channel.close() }
}
