import { iptables, type Ruleset } from '@cni/iptables'
import { rulesLeftBehind } from '../redirect/left-behind.ts'
import { redirectRules } from '../redirect/rules.ts'
import { type AttachmentRecord, recordedBackend } from '../state/attachments.ts'
import { openNetwork, removeFromNamespace } from './namespace-network.ts'
import type { RedirectContext } from './redirect-context.ts'

/**
 * Takes back what an earlier ADD of another configuration left where the new rules do not clear up by themselves:
 * rules in built-in chains that lead nowhere, addresses and policy routes, and everything in a back end that the node has
 * switched away from, which goes on to see every packet. All of the earlier ADD is restored when this one fails.
 */
export async function leaveEarlier(
  c: RedirectContext,
  {
    before,
    next,
    rules,
  }: { readonly before: AttachmentRecord; readonly next: AttachmentRecord; readonly rules: Ruleset },
): Promise<void> {
  if (before.netns.dev !== next.netns.dev || before.netns.ino !== next.netns.ino) return
  const earlier = redirectRules(before.rules)
  const backend = recordedBackend(before)
  const switched = backend !== undefined && backend !== next.backend
  if (!switched && JSON.stringify(earlier) === JSON.stringify(rules)) return
  c.undo(async () => {
    await iptables(c.netns, { backend }).apply(earlier)
    using network = await openNetwork(c.netns, before)
    await network.prepare(() => {})
  })
  if (switched) await iptables(c, { backend }).remove(earlier)
  const stale = switched ? [] : rulesLeftBehind(earlier, rules)
  if (stale.length > 0) await iptables(c).remove({ chains: [], rules: stale })
  await removeFromNamespace(c.netns, before, next)
}
