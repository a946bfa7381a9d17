import { openNft } from '@cni/nftables/wire'
import type { AttachedPod } from '../attached-pod.ts'
import type { Context } from '../context.ts'
import { unreadableReason } from '../world/nft-lines.ts'
import { difference, type Snapshot, takeSnapshot } from '../world/snapshot.ts'

/** Marks the running check as blocked if the suite cannot read the node's packet filters. */
export function blockIfUnreadable(ctx: Context): void {
  const why = unreadableReason(() => openNft(ctx.world.node))
  if (why !== undefined) ctx.block(`packet filters cannot be seen: ${why}`)
}

/** Changes of the pod's network state that the function `body` makes. */
export async function remains({ pod }: AttachedPod, body: () => Promise<void>): Promise<string[]> {
  const before = await takeSnapshot(pod.netns)
  await body()
  return await settledDifference(before, () => takeSnapshot(pod.netns))
}

// Maximum milliseconds to wait after DEL, because the kernel removes a veth's peer with a delay.
const SETTLE_MS = 1000

/** Differences from an earlier snapshot. Repeats the comparison for a second, or until there are no differences. */
export async function settledDifference(before: Snapshot, take: () => Promise<Snapshot>): Promise<string[]> {
  return await settled(async () => {
    const { added, removed } = difference(before, await take())
    return [...added.map((line) => `+ ${line}`), ...removed.map((line) => `- ${line}`)]
  })
}

/** Calls `take` until it returns an empty list, for at most a second. */
export async function settled(take: () => Promise<string[]>): Promise<string[]> {
  const deadline = performance.now() + SETTLE_MS
  for (;;) {
    const lines = await take()
    if (lines.length === 0 || performance.now() > deadline) return lines
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
