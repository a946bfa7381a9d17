import { iptables } from '@cni/iptables'
import type { AddAheadContext } from '@cni/skel'
import { redirectRules } from '../redirect/rules.ts'
import { attachmentKey } from '../state/attachment-of-call.ts'
import { callAttachments } from '../state/plain-attachments.ts'

/** Takes back rules that an agent has made, by their record. */
export async function removeServed(c: AddAheadContext, runDir: string): Promise<void> {
  const recorded = await callAttachments(runDir).read(attachmentKey(c))
  if (recorded !== undefined) await iptables(c.netns, { backend: 'nft' }).remove(redirectRules(recorded.rules))
}
