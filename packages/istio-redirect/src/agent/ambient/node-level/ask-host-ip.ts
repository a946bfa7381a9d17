import { hostIpOf } from '@cni/istio-node-level'
import { kubeClient, serviceAccountAccess } from '@cni/kube'
import { type Netns, openRtnl } from '@cni/netns'
import { messageOf } from '@cni/types'
import type { ApiAccess } from '../../part/services.ts'
import { DiscoveryError } from '../../proc/discovery-error.ts'
import type { HostIp } from './hosted-kernel.ts'

/** Where {@link askHostIp} asks, and what it takes where nobody answers. */
export interface AskHostIpOptions {
  readonly api: ApiAccess
  readonly nodeName: string
  /** The node's namespace; `undefined`: this one. */
  readonly host: Netns | undefined
  /** `HOST_IP` */
  readonly given: string | undefined
  readonly signal: AbortSignal
}

/**
 * Finds the node's address of IPv4: by its Node and its links, else as given.
 *
 * @throws {@link DiscoveryError} when neither says.
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
    if (given !== undefined) return { ip: given, why: `HOST_IP says so: ${messageOf(cause)}` }
    const hint = 'the role of the agent needs get on nodes; without it, HOST_IP can say it'
    throw new DiscoveryError(`the node's address is not known: ${messageOf(cause)} (${hint})`, { cause })
  }
}
