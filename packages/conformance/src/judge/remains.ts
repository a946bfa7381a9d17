import type { Attachment } from '../attachment.ts'
import { difference, type Snapshot, takeSnapshot } from '../world/snapshot.ts'

/** What is different in the pod after the body: `+ link eth0 …`, `- address …`. */
export async function remains({ pod }: Attachment, body: () => Promise<void>): Promise<string[]> {
  const before = await takeSnapshot(pod.netns)
  await body()
  return await settledDifference(before, () => takeSnapshot(pod.netns))
}

// The kernel removes the other end of a veth, and a bridge's port, a moment after DEL has returned.
const SETTLE_MS = 500

/** The difference that is still there after a moment. */
export async function settledDifference(before: Snapshot, take: () => Promise<Snapshot>): Promise<string[]> {
  const deadline = performance.now() + SETTLE_MS
  for (;;) {
    const { added, removed } = difference(before, await take())
    const lines = [...added.map((line) => `+ ${line}`), ...removed.map((line) => `- ${line}`)]
    if (lines.length === 0 || performance.now() > deadline) return lines
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
