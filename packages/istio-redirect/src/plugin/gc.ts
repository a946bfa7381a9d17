import type { GcContext } from '@cni/skel'
import type { Conf } from '../conf/conf.ts'
import { settingsOf } from '../conf/settings.ts'
import { attachmentsIn } from '../state/attachments.ts'

/** Deletes records of removed attachments. The kernel removed their rules with the namespaces. */
export function gc(c: GcContext<Conf>): void {
  const { runDir } = settingsOf(c.conf)
  if (runDir === '' || c.validAttachments === undefined) return
  const valid = c.validAttachments.map(({ containerID, ifname }) => ({ containerID, ifName: ifname }))
  const { stored, unreadable } = attachmentsIn(runDir).removeStale(c.networkName, valid)
  for (const { key } of stored)
    c.log.info('removed the record of an attachment', { containerID: key.containerID, if: key.ifName })
  for (const error of unreadable) c.log.warn(`a record is kept: ${error.message}`)
}
