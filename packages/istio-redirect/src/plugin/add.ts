import type { AddContext } from '@cni/skel'
import type { Result } from '@cni/types'
import type { Conf } from './conf.ts'
import { podToAsk } from './pod-to-ask.ts'
import { settingsOf } from './settings.ts'
import { warnAboutSettings } from './warn-settings.ts'

/** Redirects the traffic of a pod that has a sidecar; any other pod passes unchanged. */
export async function add(c: AddContext<Conf>): Promise<Result> {
  const settings = settingsOf(c.conf)
  warnAboutSettings(c.log, c.conf, settings)
  const who = podToAsk(c, settings)
  if (who !== undefined) {
    // What asks takes 1 ms to load: a pod that is skipped by now does without.
    const { redirectPod } = await import('./redirect-pod.ts')
    await redirectPod(c, settings, who)
  }
  return c.prevResult ?? {}
}
