import type { AddContext } from '@cni/skel'
import { CniError, ErrorCode } from '@cni/types'
import { quoted } from '../decide/before-asking.ts'
import { maybeAmbient } from '../decide/ladder.ts'
import { redirectionOf } from '../decide/redirection.ts'
import type { AskOptions } from '../kube/ask.ts'
import { type KubeClient, kubeClient } from '../kube/client.ts'
import { getPod } from '../kube/get-pod.ts'
import { loadKubeconfig } from '../kube/kubeconfig.ts'
import type { PodIdentity } from '../kube/pod-identity.ts'
import { podInfo } from '../redirect/pod-info.ts'
import type { Conf } from './conf.ts'
import { laterPlace } from './later-place.ts'
import type { Settings } from './settings.ts'

/** Ends before the runtime's own deadline, so that the runtime hears what the API server said and not only "too late". */
const askingMs = 40_000

/**
 * Asks the API server what a pod is, walks the rest of the ladder, and redirects its traffic unless it is none of our
 * business.
 */
export async function redirectPod(c: AddContext<Conf>, settings: Settings, who: PodIdentity): Promise<void> {
  const api = askOptions(c, settings, who)
  const asked = getPod(who, api)
  using place = laterPlace(c, settings)
  await place.getReady(asked)
  const pod = podInfo(await asked)
  if (maybeAmbient(pod, settings)) {
    const { enrolIfAmbient } = await import('./ambient.ts')
    if (await enrolIfAmbient(c, settings, pod, api)) return
  }
  const found = redirectionOf(pod, c)
  if (found !== undefined) await place.redirect(found)
}

/** All requests of a call share one client, until the server refuses it. */
function askOptions(c: AddContext<Conf>, { kubeconfig, runDir }: Settings, who: PodIdentity): AskOptions {
  if (kubeconfig === undefined) {
    throw new CniError(
      ErrorCode.invalidNetworkConfig,
      `cni_agent_run_dir: expected a path, got ${JSON.stringify(runDir)}`,
      {
        hint: 'the kubeconfig of the node agent is looked for there',
      },
    )
  }
  let client: Promise<KubeClient> | undefined
  return {
    connect(refused) {
      if (refused) client = undefined
      client ??= loadKubeconfig(kubeconfig).then((access) => kubeClient(access))
      return client
    },
    signal: AbortSignal.any([c.signal, AbortSignal.timeout(askingMs)]),
    onRetry: (error, { made }) => c.log.warn(`asking again: ${error.message}`, { pod: quoted(who), requests: made }),
  }
}
