import type { RtnlPort } from '@cni/netns'
import { type EarlierTarget, noZtunnel, type Target } from '../objects/maps.ts'
import type { Objects } from '../objects/objects.ts'
import type { Step } from '../step.ts'
import { isSameTarget, type Undo } from './pod-entries.ts'

/** ztunnels to which the eBPF programs redirect packets of pods. */
export interface Redirection {
  /** ztunnel that gets new connections of pods. */
  readonly to: Target
  /** Previous ztunnel, which keeps its open connections. Ignored if it has no link. */
  readonly from: Target
}

/** Returns steps that direct pods to a ztunnel. Open connections come first: the new ztunnel refuses them. */
export async function redirectionSteps(
  rtnl: RtnlPort,
  { maps }: Objects,
  { to, from }: Redirection,
  undo?: Undo,
): Promise<Step[]> {
  const { ztunnel_before, ztunnel_info } = maps
  const steps: Step[] = []
  const earlier = ztunnel_before.get(0)
  const isFollowed = from.ifindex !== 0 && from.ifindex !== to.ifindex
  const previous = await previousZtunnel(rtnl, isFollowed ? from : earlier, to)
  if (previous.netns !== earlier.netns || !isSameTarget(previous, earlier)) {
    undo?.(() => ztunnel_before.set(0, earlier))
    const what =
      previous.ifindex === 0
        ? `the ztunnel on link ${earlier.ifindex} has no open connections any more`
        : `open connections stay with the ztunnel on link ${previous.ifindex}`
    steps.push({ what, run: async () => ztunnel_before.set(0, previous) })
  }
  const now = ztunnel_info.get(0)
  for (const what of redirectionDrift(maps, { to })) {
    undo?.(() => ztunnel_info.set(0, now))
    steps.push({ what, run: async () => ztunnel_info.set(0, to) })
  }
  return steps
}

/** Describes the difference between the ztunnel in the eBPF maps and the wanted ztunnel. */
export function redirectionDrift({ ztunnel_info }: Objects['maps'], { to }: Pick<Redirection, 'to'>): string[] {
  const now = ztunnel_info.get(0)
  if (isSameTarget(now, to)) return []
  return [
    `pods are directed to link ${now.ifindex}, not to ${to.ifindex === 0 ? 'no link' : `ztunnel on link ${to.ifindex}`}`,
  ]
}

// internal

const none: EarlierTarget = { ...noZtunnel, netns: 0 }

/** Returns the map value that directs open connections to the previous ztunnel. All zeros if its link is gone. */
async function previousZtunnel(
  rtnl: RtnlPort,
  { ifindex, mac, flags, pad }: Target,
  to: Target,
): Promise<EarlierTarget> {
  if (ifindex === 0 || ifindex === to.ifindex) return none
  const link = await rtnl.getLink(ifindex)
  if (link?.kind !== 'veth' || link.parentNetns === undefined) return none
  return { ifindex, mac, flags, pad, netns: link.parentNetns }
}
