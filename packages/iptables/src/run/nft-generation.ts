import type { NetnsTarget } from '@cni/netns'
import { type Channel, isNetlinkError, NETLINK_NETFILTER, openNetlink } from '@cni/netns/netlink'
import { IptablesError } from '../errors.ts'
import { generationIn, generationRequest } from './generation-message.ts'
import type { Generation } from './port.ts'

/**
 * The generation of a namespace's nftables rules, asked over nfnetlink: the kernel counts it up with every change, by
 * whatever program. The socket is opened inside the namespace and stays there. Needs the FFI of `@cni/netns`.
 */
export function nftGeneration(target: NetnsTarget): Generation {
  const channel = openNetlink(target, NETLINK_NETFILTER)
  return { current: () => ask(channel), close: () => channel.close() }
}

// internal

function ask(channel: Channel): number {
  let errno = 0
  try {
    const generation = generationIn(channel.get(generationRequest))
    if (generation !== undefined) return generation
  } catch (error) {
    if (!isNetlinkError(error)) throw error
    errno = error.refusal.errno
  }
  const code = errno === 1 ? 'DENIED' : 'EXIT'
  throw new IptablesError(code, `the kernel does not tell the generation of its nftables rules (errno ${errno})`)
}
