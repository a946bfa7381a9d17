import type { AddContext } from '@cni/skel'
import type { Result } from '@cni/types'
import type { Conf } from './conf.ts'
import { findRedirect } from './find-redirect.ts'
import { settingsOf } from './settings.ts'
import { warnAboutSettings } from './warn-settings.ts'

/** Redirects the traffic of a pod that has a sidecar; any other pod passes unchanged. */
export async function add(c: AddContext<Conf>): Promise<Result> {
  const settings = settingsOf(c.conf)
  warnAboutSettings(c.log, c.conf, settings)
  const found = await findRedirect(c, settings)
  if (found !== undefined) {
    const { programNamespace } = await import('./program-namespace.ts')
    await programNamespace(c, settings, found)
  }
  return c.prevResult ?? {}
}
