import { readFileSync } from '@cni/netns/enter'
import type { AddAheadContext } from '@cni/skel'
import { isObject } from '@cni/types'
import { hasInet6 } from '../decide/inet6-file.ts'
import type { NamespaceFacts } from '../serve/protocol.ts'

/**
 * What an agent has to know of a namespace's addresses. What was told of them is not read here, which takes as long as all
 * the rest, but only looked at: where the look is wrong, the agent refuses.
 */
export async function addressFacts({
  netns,
  ifName,
  document,
}: AddAheadContext): Promise<Pick<NamespaceFacts, 'inet6' | 'addresses' | 'ipv6Off'>> {
  const told = toldBy(document.prevResult)
  // Not by what reads it without FFI, too, which takes as long to load as this takes.
  const inet6 = readFileSync(netns, '/proc/thread-self/net/if_inet6') ?? ''
  const mayBeOff = told.some((address) => address.includes(':')) && !hasInet6(inet6)
  return {
    inet6,
    addresses: told.some(isOrdinaryIpv4)
      ? undefined
      : await (await import('./namespace-network.ts')).addressesOf(netns),
    ipv6Off: mayBeOff ? await (await import('./namespace-ipv6.ts')).isIpv6SwitchedOff(netns, ifName) : undefined,
  }
}

// internal

function toldBy(prevResult: unknown): string[] {
  const ips: unknown = isObject(prevResult) ? prevResult.ips : undefined
  const list: unknown[] = Array.isArray(ips) ? ips : []
  return list.flatMap((ip) => (isObject(ip) && typeof ip.address === 'string' ? [ip.address] : []))
}

/** Others may be as good; these are what pods have. */
const isOrdinaryIpv4 = (address: string): boolean => /^(?!127\.|169\.254\.|2[2-5])\d+\.[\d./]+$/.test(address)
