import { readFileSync } from '@cni/netns/enter'
import type { Netns } from '@cni/netns/handle'
import type { AddAheadContext } from '@cni/skel'
import { isObject } from '@cni/types'
import { hasInet6 } from '../decide/inet6-file.ts'
import type { NamespaceFacts } from '../serve/protocol.ts'

/**
 * What an agent has to know of a namespace's addresses. What was told of them is not read here, which takes as long as all
 * the rest, but only looked at: where the look is wrong, the agent refuses.
 */
export async function addressFacts(
  netns: Netns,
  { env, document }: Pick<AddAheadContext, 'env' | 'document'>,
): Promise<Pick<NamespaceFacts, 'inet6' | 'addresses' | 'ipv6Off'>> {
  const told = toldBy(document.prevResult)
  // Not by what reads it without FFI, too, which takes as long to load as this takes.
  const inet6 = readFileSync(netns, '/proc/thread-self/net/if_inet6') ?? ''
  const mayBeOff = told.ipv6 && !hasInet6(inet6)
  return {
    inet6,
    addresses: told.ipv4 ? undefined : await (await import('./namespace-network.ts')).addressesOf(netns),
    ipv6Off: mayBeOff
      ? await (await import('./namespace-ipv6.ts')).isIpv6SwitchedOff(netns, env.CNI_IFNAME)
      : undefined,
  }
}

// internal

/** Of which families addresses seem to be told. */
function toldBy(prevResult: unknown): { readonly ipv4: boolean; readonly ipv6: boolean } {
  const ips: unknown = isObject(prevResult) ? prevResult.ips : undefined
  const told = { ipv4: false, ipv6: false }
  for (const ip of Array.isArray(ips) ? ips : []) {
    const address: unknown = isObject(ip) ? ip.address : undefined
    if (typeof address !== 'string') continue
    if (address.includes(':')) told.ipv6 = true
    else if (isOrdinary(address)) told.ipv4 = true
  }
  return told
}

/** None of the node's own, nor of a link or a group; of the others those that pods have. */
function isOrdinary(address: string): boolean {
  for (const start of ['127.', '169.254.', '22', '23']) if (address.startsWith(start)) return false
  return address.includes('.')
}
