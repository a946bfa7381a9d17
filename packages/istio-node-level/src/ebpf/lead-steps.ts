import type { RtnlPort } from '@cni/netns'
import { type EarlierTarget, nobody, type Target } from '../objects/maps.ts'
import type { Objects } from '../objects/objects.ts'
import type { Step } from '../step.ts'
import { isSameTarget, type Undo } from './pod-entries.ts'

/** Where packets of pods are to go. */
export interface Lead {
  /** What is new goes there. */
  readonly to: Target
  /** What it has open stays with it, where that is not `to`: who served until now, or somebody before. */
  readonly from: Target
}

/**
 * What leads pods to a ztunnel, and leaves connections that are open with the one before as long as that has its link.
 * They are left there first: otherwise the new one would refuse them meanwhile.
 */
export async function leadSteps(rtnl: RtnlPort, { maps }: Objects, { to, from }: Lead, undo?: Undo): Promise<Step[]> {
  const { ztunnel_before, ztunnel_info } = maps
  const steps: Step[] = []
  const earlier = ztunnel_before.get(0)
  const isFollowed = from.ifindex !== 0 && from.ifindex !== to.ifindex
  const kept = await stillThere(rtnl, isFollowed ? from : earlier, to)
  if (kept.netns !== earlier.netns || !isSameTarget(kept, earlier)) {
    undo?.(() => ztunnel_before.set(0, earlier))
    const what =
      kept.ifindex === 0
        ? `nothing stays with the ztunnel on link ${earlier.ifindex}`
        : `open connections stay with the ztunnel on link ${kept.ifindex}`
    steps.push({ what, run: async () => ztunnel_before.set(0, kept) })
  }
  const now = ztunnel_info.get(0)
  for (const what of leadDrift(maps, { to })) {
    undo?.(() => ztunnel_info.set(0, now))
    steps.push({ what, run: async () => ztunnel_info.set(0, to) })
  }
  return steps
}

/** Whether what is new goes to somebody else, in words. */
export function leadDrift({ ztunnel_info }: Objects['maps'], { to }: Pick<Lead, 'to'>): string[] {
  const now = ztunnel_info.get(0)
  if (isSameTarget(now, to)) return []
  return [`pods are led to link ${now.ifindex}, not to ${to.ifindex === 0 ? 'nobody' : `ztunnel on ${to.ifindex}`}`]
}

// internal

const none: EarlierTarget = { ...nobody, netns: 0 }

/** Zeros, where it is who serves, or has no veth that leads to another namespace any more. */
async function stillThere(rtnl: RtnlPort, { ifindex, mac, flags, pad }: Target, to: Target): Promise<EarlierTarget> {
  if (ifindex === 0 || ifindex === to.ifindex) return none
  const link = await rtnl.getLink(ifindex)
  if (link?.kind !== 'veth' || link.parentNetns === undefined) return none
  return { ifindex, mac, flags, pad, netns: link.parentNetns }
}
