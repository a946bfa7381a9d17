import type { Netns } from '@cni/netns'
import type { Target } from '../../ebpf/maps.ts'
import { CAPTURE_DNS } from '../../ebpf/programs/constants.ts'
import type { NodeZtunnel } from '../kernel-side.ts'
import type { Ends } from './links.ts'
import type { NamespacePlan } from './namespace-plan.ts'

/** Who serves the node, and how packets come to it. */
export interface Serving {
  readonly ztunnel: NodeZtunnel
  /** ztunnel's own namespace, kept open. */
  readonly netns: Netns
  readonly ends: Ends
  readonly inside: NamespacePlan
  /** The address that the node has towards its pods, which probes come from. */
  readonly nodeIp: string
}

/** An end of a veth as programs send packets to it. */
export function targetOf({ outer, inner }: Ends, dnsCapture = false): Target {
  if (inner.mac === undefined) throw new Error(`The link ${inner.name} has no address`)
  return { ifindex: outer.index, mac: inner.mac, flags: dnsCapture ? CAPTURE_DNS : 0, pad: 0 }
}
