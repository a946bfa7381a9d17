import type { AttachmentRecord } from '../state/attachments.ts'
import { recordedBackend } from '../state/recorded-backend.ts'
import { openNetwork, removeFromNamespace } from './namespace-network.ts'
import type { RedirectContext } from './redirect-context.ts'
import { writerFor } from './writer-for.ts'

/** Removes the remains of the pod's earlier ADD with another configuration. */
export async function removeEarlier(
  c: RedirectContext,
  before: AttachmentRecord,
  next: AttachmentRecord,
): Promise<void> {
  if (before.netns.dev !== next.netns.dev || before.netns.ino !== next.netns.ino) return
  const backend = recordedBackend(before)
  const earlier = writerFor(c, before.rules, backend)
  const nextBackend = recordedBackend(next)
  const writer = writerFor(c, next.rules, nextBackend)
  // A record with an unknown back end describes iptables rules.
  const switched = backend === undefined ? nextBackend === 'nftables' : backend !== nextBackend
  if (!switched && JSON.stringify(earlier.rules) === JSON.stringify(writer.rules)) return
  c.undo(async () => {
    await writerFor(c.netns, before.rules, backend).apply()
    using network = await openNetwork(c.netns, before)
    await network.prepare(() => {})
  })
  if (switched) await earlier.remove()
  else await writer.removeObsolete(before.rules)
  await removeFromNamespace(c.netns, before, next)
}
