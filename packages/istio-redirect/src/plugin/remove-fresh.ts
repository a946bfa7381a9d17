import type { AddAheadContext } from '@cni/skel'
import { attachmentKey } from '../state/attachment-of-call.ts'
import { callAttachments } from '../state/plain-attachments.ts'
import { recordedBackend } from '../state/recorded-backend.ts'
import { writerFor } from './writer-for.ts'

/** Takes back rules that were written at once, by their record. */
export async function removeFresh(
  c: Pick<AddAheadContext, 'netns' | 'networkName' | 'containerID' | 'ifName'>,
  runDir: string,
): Promise<void> {
  const recorded = await callAttachments(runDir).read(attachmentKey(c))
  if (recorded === undefined) return
  const writer = await writerFor(c.netns, recorded.rules, recordedBackend(recorded))
  await writer.remove()
}
