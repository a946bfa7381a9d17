import { podInfo, podRef } from '@cni/istio-rules'
import type { AskOptions } from '@cni/kube'
import { getPod, type KubeClient, kubeClient, loadKubeconfig } from '@cni/kube'
import type { AddContext } from '@cni/skel'
import { CniError, ErrorCode } from '@cni/types'
import type { Conf } from '../conf/conf.ts'
import type { Settings } from '../conf/settings.ts'
import type { AddSources } from '../decide/decide-add.ts'
import { enrolIfAmbient } from './ambient.ts'

/** Deadline for the API server during ADD, shorter than the container runtime's own deadline. */
const API_TIMEOUT_MS = 40_000

/** Creates the data sources for a decision without the agent: the API server and the kernel. */
export function liveSources(c: AddContext<Conf>, settings: Settings, addresses: AddSources['addresses']): AddSources {
  const api = askOptions(c, settings)
  return {
    addresses,
    async pod(who) {
      const asked = getPod(who, api)
      // Starts reading the addresses early. A later call of `addresses` reports a read error.
      addresses().catch(() => {})
      return podInfo(await asked)
    },
    enrol: (pod) => enrolIfAmbient(c, settings, pod, api),
  }
}

// internal

/** Builds the API request options. Requests share one client until credentials or a certificate are rejected. */
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
    signal: AbortSignal.any([c.signal, AbortSignal.timeout(API_TIMEOUT_MS)]),
    onRetry: (error, { made }) =>
      c.log.warn(`asking again: ${error.message}`, { pod: c.k8s && podRef(c.k8s), requests: made }),
  }
}
