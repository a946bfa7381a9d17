import { openNft } from '@cni/nftables/wire'
import type { AttachedPod } from '../attached-pod.ts'
import type { Context } from '../context.ts'
import { nftBlindness } from '../world/nft-lines.ts'
import { difference, type Snapshot, takeSnapshot } from '../world/snapshot.ts'

/** For checks that compare what is there before and after: they are blocked where half of it cannot be seen. */
export function needsSight(ctx: Context): void {
  const why = nftBlindness(() => openNft(ctx.world.node))
  if (why !== undefined) ctx.block(`packet filters cannot be seen: ${why}`)
}

/** What is different in the pod after the body: `+ link eth0 …`, `- address …`. */
export async function remains({ pod }: AttachedPod, body: () => Promise<void>): Promise<string[]> {
  const before = await takeSnapshot(pod.netns)
  await body()
  return await settledDifference(before, () => takeSnapshot(pod.netns))
}

// The kernel removes the other end of a veth, and a bridge's port, a moment after DEL has returned.
const SETTLE_MS = 1000

/** The difference that is still there after a moment. */
export async function settledDifference(before: Snapshot, take: () => Promise<Snapshot>): Promise<string[]> {
  return await settled(async () => {
    const { added, removed } = difference(before, await take())
    return [...added.map((line) => `+ ${line}`), ...removed.map((line) => `- ${line}`)]
  })
}

/** The lines that are still there after a moment. */
export async function settled(take: () => Promise<string[]>): Promise<string[]> {
  const deadline = performance.now() + SETTLE_MS
  for (;;) {
    const lines = await take()
    if (lines.length === 0 || performance.now() > deadline) return lines
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
