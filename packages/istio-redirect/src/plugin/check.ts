import type { CheckContext } from '@cni/skel'
import { CniError } from '@cni/types'
import type { Conf } from '../conf/conf.ts'
import { settingsOf } from '../conf/settings.ts'
import { warnAboutSettings } from '../conf/warn-settings.ts'
import { missingFromNamespace } from '../namespace/namespace-network.ts'
import { openAsWritten } from '../namespace/open-tables.ts'
import { writerFor } from '../namespace/writer-for.ts'
import { attachmentKey } from '../state/attachment-of-call.ts'
import { type AttachmentRecord, attachmentsIn } from '../state/attachments.ts'
import { recordedBackend } from '../state/recorded-backend.ts'

const drift = 100

/** Handles CHECK: compares the namespace with ADD's record. Sends no request to the API server. */
export async function check(c: CheckContext<Conf>): Promise<void> {
  const settings = settingsOf(c.conf)
  warnAboutSettings(c.log, c.conf, settings)
  if (settings.checkMode === 'none') return
  const recorded = settings.runDir === '' ? undefined : attachmentsIn(settings.runDir).read(attachmentKey(c))
  if (recorded === undefined) {
    c.log.info('nothing to check: no rules were recorded for this attachment')
    return
  }
  requireSameNamespace(c, recorded)
  using asWritten = openAsWritten(c.netns, recorded)
  if (asWritten === undefined) await writerFor(c, recorded.rules, recordedBackend(recorded)).verify()
  const missing = await missingFromNamespace(c.netns, recorded)
  if (missing.length > 0) {
    throw new CniError(drift, 'the network of the pod differs from what was set up', { details: missing.join('\n') })
  }
}

function requireSameNamespace(c: CheckContext<Conf>, { netns }: AttachmentRecord): void {
  if (Number(c.netns.dev) === netns.dev && Number(c.netns.ino) === netns.ino) return
  throw new CniError(drift, `${c.netns.path} is not the namespace that was set up`, {
    details: `expected ${netns.dev}:${netns.ino}, got ${c.netns.dev}:${c.netns.ino}`,
  })
}
