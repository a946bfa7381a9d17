import { type Netns, type NetnsTarget, netns as namespaces, openRtnl, type RtnlPort } from '@cni/netns'
import type { NodeZtunnel } from '../kernel-side.ts'
import { sourceTowards } from '../network/source-towards.ts'
import { NodeLevelError } from '../node-level-error.ts'
import type { Target } from '../objects/maps.ts'
import type { Objects } from '../objects/objects.ts'
import { CAPTURE_DNS } from '../programs/constants.ts'
import { type Ends, endsOf } from './links.ts'
import { type NamespacePlan, namespacePlan } from './namespace-plan.ts'

/** ztunnel that serves the node, and its network. */
export interface Serving {
  readonly ztunnel: NodeZtunnel
  /** Namespace of ztunnel, kept open. */
  readonly netns: Netns
  readonly ends: Ends
  readonly inside: NamespacePlan
  /** Source address of the node towards its pods. Probes come from this address. */
  readonly nodeIp: string
}

/**
 * Collects the facts by which a ztunnel can serve the node. The caller has to close the namespace.
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

/** True if ztunnel's veth still exists. The namespace may still exist after ztunnel has died. */
export async function isThere(node: RtnlPort, { ends }: Serving): Promise<boolean> {
  const link = await node.getLink(ends.outer.index)
  return link?.kind === 'veth' && link.parent === ends.inner.index
}

/** True if both have the same veth. */
export const isSamePlace = (one: Serving, other: Serving): boolean =>
  one.ends.outer.index === other.ends.outer.index && one.netns.isSame(other.netns)

/** Target for packets to an end of a veth. */
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
