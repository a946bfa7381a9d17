import type { Netns } from '@cni/netns'
import { findPodNamespaces } from '../proc/find-pod-namespaces.ts'
import { identifyingAddresses } from '../proc/pod-addresses.ts'
import { RepairError } from './repair-error.ts'

/** Opens the network namespace of a pod, which {@link findPodNamespaces} finds by the pod's UID and addresses. */
export async function findNetns(podIPs: readonly string[], hostProc: string, uid = ''): Promise<Netns> {
  if (identifyingAddresses(podIPs).length === 0) {
    throw new RepairError(`failed to parse addr: none of the pod's addresses is one: ${JSON.stringify(podIPs)}`)
  }
  const { namespaces, warnings } = await findPodNamespaces(new Map([[uid, podIPs]]), hostProc)
  const found = namespaces.get(uid)
  if (found !== undefined) return found
  const why = warnings.length > 0 ? `: ${warnings.join('; ')}` : ''
  throw new RepairError(`failed to find network namespace with the addresses ${podIPs.join(', ')}${why}`)
}
