import { podInfo, podRef } from '@cni/istio-rules'
import type { AskOptions } from '@cni/kube'
import { getPod, type KubeClient, kubeClient, loadKubeconfig } from '@cni/kube'
import type { AddContext } from '@cni/skel'
import { CniError, ErrorCode } from '@cni/types'
import type { Conf } from '../conf/conf.ts'
import type { Settings } from '../conf/settings.ts'
import type { AddSources } from '../decide/decide-add.ts'
import { enrolIfAmbient } from './ambient.ts'

/** Ends before the runtime's own deadline, so that the runtime hears what the API server said and not only "too late". */
const askingMs = 40_000

/** Sources of a plugin that decides by itself: the API server, and the kernel, which is asked while the server answers. */
export function liveSources(c: AddContext<Conf>, settings: Settings, addresses: AddSources['addresses']): AddSources {
  const api = askOptions(c, settings)
  return {
    addresses,
    async pod(who) {
      const asked = getPod(who, api)
      // An error is reported when the addresses are needed.
      addresses().catch(() => {})
      return podInfo(await asked)
    },
    enrol: (pod) => enrolIfAmbient(c, settings, pod, api),
  }
}

// internal

/** All requests of a call share one client, until the server refuses it. */
function askOptions(c: AddContext<Conf>, { kubeconfig, runDir }: Settings): AskOptions {
  if (kubeconfig === undefined) {
    throw new CniError(
      ErrorCode.invalidNetworkConfig,
      `cni_agent_run_dir: expected a path, got ${JSON.stringify(runDir)}`,
      {
        hint: 'the kubeconfig of the node agent is looked for there',
      },
    )
  }
  let client: KubeClient | undefined
  return {
    async connect(refused) {
      if (refused) client = undefined
      client ??= kubeClient(loadKubeconfig(kubeconfig))
      return client
    },
    signal: AbortSignal.any([c.signal, AbortSignal.timeout(askingMs)]),
    onRetry: (error, { made }) =>
      c.log.warn(`asking again: ${error.message}`, { pod: c.k8s && podRef(c.k8s), requests: made }),
  }
}
