import { hostIpOf } from '@cni/istio-node-level'
import { kubeClient, serviceAccountAccess } from '@cni/kube'
import { type Netns, openRtnl } from '@cni/netns'
import { messageOf } from '@cni/types'
import { DiscoveryError } from '../../proc/discovery-error.ts'
import type { ApiAccess } from '../../shared/deps.ts'
import type { HostIp } from './hosted-kernel.ts'

/** Options of {@link askHostIp}, which finds the node's IPv4 address. */
export interface AskHostIpOptions {
  readonly api: ApiAccess
  readonly nodeName: string
  /** Network namespace of the node. `undefined` means the namespace of this process. */
  readonly host: Netns | undefined
  /** Value of the setting `HOST_IP`, for an agent that cannot read the Node object. */
  readonly given: string | undefined
  readonly signal: AbortSignal
}

/**
 * Finds the node's IPv4 address from its Node object and its links, else from `HOST_IP`.
 *
 * @throws {@link DiscoveryError} if the address is unknown.
 */
export async function askHostIp({ api, nodeName, host, given, signal }: AskHostIpOptions): Promise<HostIp> {
  try {
    const client = kubeClient(serviceAccountAccess(api), { userAgent: 'install-cni' })
    const node = await client.get(`/api/v1/nodes/${encodeURIComponent(nodeName)}`, { signal })
    using rtnl = await openRtnl(host ?? 'host')
    return hostIpOf(
      node,
      (await rtnl.getAddresses()).map(({ cidr }) => cidr.split('/')[0] ?? ''),
    )
  } catch (cause) {
    if (given !== undefined)
      return { ip: given, why: `HOST_IP is set, and the Node object is unavailable: ${messageOf(cause)}` }
    const hint = 'grant the agent get on nodes, or set HOST_IP'
    throw new DiscoveryError(`the node's address is unknown: ${messageOf(cause)} (${hint})`, { cause })
  }
}
