import type { Netns } from '@cni/netns'
import { type IpBytes, parseAddress, unmapAddress } from '@cni/types/ip'
import { isLinkLocalMulticast, isLinkLocalUnicast, isLoopback } from '../../redirect/ip.ts'
import { addressesIn, openNamespace, podProcesses } from '../proc/pod-processes.ts'
import { RepairError } from './repair-error.ts'

/**
 * Opens the network namespace of a pod, found by its addresses: all of them are on interfaces in it. Of several the one
 * with the oldest process, which is the pause container: the init container may die meanwhile. Never the node's own.
 */
export async function findNetns(podIPs: readonly string[], hostProc: string): Promise<Netns> {
  const wanted = usableAddresses(podIPs)
  if (wanted.length === 0) {
    throw new RepairError(`failed to parse addr: none of the pod's addresses is one: ${JSON.stringify(podIPs)}`)
  }
  const seen = new Set<string>()
  for (const process of await podProcesses(hostProc)) {
    if (seen.has(process.namespace)) continue
    const opened = openNamespace(hostProc, process)
    if (opened === undefined) continue
    seen.add(process.namespace)
    try {
      if (await hasAll(opened, wanted)) return opened
    } catch (error) {
      opened.close()
      throw error
    }
    opened.close()
  }
  throw new RepairError(`failed to find network namespace with the addresses ${podIPs.join(', ')}`)
}

async function hasAll(target: Netns, wanted: readonly string[]): Promise<boolean> {
  const present = new Set((await addressesIn(target)).map(canonical))
  return wanted.every((address) => present.has(address))
}

/** The usable addresses of a pod's status; those that every namespace has, or none, are not. */
function usableAddresses(podIPs: readonly string[]): string[] {
  return [...new Set(podIPs.map(canonical).filter((address) => address !== undefined))]
}

function canonical(text: string): string | undefined {
  const bytes = parseAddress(text)
  if (bytes === undefined) return undefined
  const ip: IpBytes = unmapAddress(bytes)
  const useless = isLoopback(ip) || isLinkLocalUnicast(ip) || isLinkLocalMulticast(ip) || ip.every((byte) => byte === 0)
  return useless ? undefined : Buffer.from(ip).toString('hex')
}
