import type { GcContext } from '@cni/skel'
import { attachmentsIn } from '../state/attachments.ts'
import type { Conf } from './conf.ts'
import { settingsOf } from './settings.ts'

/** Forgets what was recorded about attachments that are gone; their rules went with their namespaces. */
export function gc(c: GcContext<Conf>): void {
  const { runDir } = settingsOf(c.conf)
  if (runDir === '' || c.validAttachments === undefined) return
  const valid = c.validAttachments.map(({ containerID, ifname }) => ({ containerID, ifName: ifname }))
  const { forgotten, unreadable } = attachmentsIn(runDir).forgetOthers(c.networkName, valid)
  for (const { containerID, ifName } of forgotten) c.log.info('forgot an attachment', { containerID, if: ifName })
  for (const error of unreadable) c.log.warn(`left alone: ${error.message}`)
}
