import { type Netns, type NetnsTarget, netns as namespaces, openRtnl, type RtnlPort } from '@cni/netns'
import type { NodeZtunnel } from '../kernel-side.ts'
import { sourceTowards } from '../network/source-towards.ts'
import { NodeLevelError } from '../node-level-error.ts'
import type { Target } from '../objects/maps.ts'
import type { Objects } from '../objects/objects.ts'
import { CAPTURE_DNS } from '../programs/constants.ts'
import { type Ends, endsOf } from './links.ts'
import { type NamespacePlan, namespacePlan } from './namespace-plan.ts'

/** ztunnel that currently gets the traffic of the node's pods, with its links, plan and namespace. */
export interface Serving {
  readonly ztunnel: NodeZtunnel
  /** Open handle of ztunnel's network namespace. */
  readonly netns: Netns
  readonly ends: Ends
  readonly inside: NamespacePlan
  /** Source address of packets from the node to its pods, such as the kubelet's probes. */
  readonly nodeIp: string
}

/**
 * Collects the facts for redirection to a ztunnel. The caller closes the result's namespace handle.
 *
 * @throws {@link NodeLevelError} `NO_VETH`, `NO_SK_ASSIGN`, `NO_ROUTE`.
 */
export async function servingBy(target: NetnsTarget, ztunnel: NodeZtunnel, { variant }: Objects): Promise<Serving> {
  const { ip, name, dnsCapture } = ztunnel
  if (dnsCapture && variant === 'mark') {
    throw new NodeLevelError(
      'NO_SK_ASSIGN',
      `ztunnel ${name} captures queries (ISTIO_META_DNS_CAPTURE), which requires the helper sk_assign of Linux 5.7 or later: ` +
        'unset it, or set AMBIENT_REDIRECT_MODE=node-iptables',
    )
  }
  using node = await openRtnl(target)
  using inside = await openRtnl(ztunnel.netns)
  const ends = await endsOf(node, inside, ip, `ztunnel ${name}`)
  const nodeIp = await addressTowards(target, ztunnel)
  const plan = namespacePlan({ variant, veth: ends.inner.name, ztunnelIp: ip })
  return { ztunnel, netns: namespaces.open(`/proc/self/fd/${ztunnel.netns.fd}`), ends, inside: plan, nodeIp }
}

/** True if ztunnel's veth still exists. The namespace handle stays open after ztunnel's death. */
export async function isThere(node: RtnlPort, { ends }: Serving): Promise<boolean> {
  const link = await node.getLink(ends.outer.index)
  return link?.kind === 'veth' && link.parent === ends.inner.index
}

/** True if two ztunnels use the same veth and network namespace. */
export const isSameZtunnel = (one: Serving, other: Serving): boolean =>
  one.ends.outer.index === other.ends.outer.index && one.netns.isSame(other.netns)

/** Returns the map value that directs packets over a veth into a pod. */
export function targetOf({ outer, inner }: Ends, dnsCapture = false): Target {
  if (inner.mac === undefined) throw new Error(`The link ${inner.name} has no address`)
  return { ifindex: outer.index, mac: inner.mac, flags: dnsCapture ? CAPTURE_DNS : 0, pad: 0 }
}

// internal

async function addressTowards(target: NetnsTarget, { ip, name }: NodeZtunnel): Promise<string> {
  try {
    return await sourceTowards(target, ip)
  } catch (cause) {
    const text =
      `The node has no route to ${ip} of ztunnel ${name}, or no source address towards it, which identifies probes: ` +
      'check that the network plugin gives its bridge an address (isGateway), or adds a route to each pod'
    throw new NodeLevelError('NO_ROUTE', text, { cause })
  }
}
