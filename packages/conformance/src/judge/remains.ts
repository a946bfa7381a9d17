import { openNft } from '@cni/nftables/wire'
import type { AttachedPod } from '../attached-pod.ts'
import type { Context } from '../context.ts'
import { nftBlindness } from '../world/nft-lines.ts'
import { difference, type Snapshot, takeSnapshot } from '../world/snapshot.ts'

/** Blocks a check that compares snapshots, if the suite cannot read packet filters. */
export function needsSight(ctx: Context): void {
  const why = nftBlindness(() => openNft(ctx.world.node))
  if (why !== undefined) ctx.block(`packet filters cannot be seen: ${why}`)
}

/** Changes in the pod from before to after `body`: `+ link eth0 …`, `- address …`. */
export async function remains({ pod }: AttachedPod, body: () => Promise<void>): Promise<string[]> {
  const before = await takeSnapshot(pod.netns)
  await body()
  return await settledDifference(before, () => takeSnapshot(pod.netns))
}

// Milliseconds to wait after DEL. The kernel removes the peer of a veth and the port of a bridge with a delay.
const SETTLE_MS = 1000

/** Differences between two snapshots that remain after a wait. */
export async function settledDifference(before: Snapshot, take: () => Promise<Snapshot>): Promise<string[]> {
  return await settled(async () => {
    const { added, removed } = difference(before, await take())
    return [...added.map((line) => `+ ${line}`), ...removed.map((line) => `- ${line}`)]
  })
}

/** Changed lines that remain after a wait. */
export async function settled(take: () => Promise<string[]>): Promise<string[]> {
  const deadline = performance.now() + SETTLE_MS
  for (;;) {
    const lines = await take()
    if (lines.length === 0 || performance.now() > deadline) return lines
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
