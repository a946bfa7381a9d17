import type { AddContext } from '@cni/skel'
import { CniError, ErrorCode, messageOf } from '@cni/types'
import { maybeAmbient, withoutSidecar } from '../decide/ladder.ts'
import type { AskOptions } from '../kube/ask.ts'
import { type KubeClient, kubeClient } from '../kube/client.ts'
import { loadKubeconfig } from '../kube/kubeconfig.ts'
import { getPod } from '../kube/pod.ts'
import type { PodIdentity } from '../kube/pod-identity.ts'
import { type PodInfo, podInfo } from '../redirect/pod-info.ts'
import { type Redirect, redirectFor } from '../redirect/redirect.ts'
import type { Conf } from './conf.ts'
import type { Settings } from './settings.ts'

/** A pod whose traffic is to be redirected, and how. */
export interface FoundRedirect {
  readonly pod: PodInfo
  readonly redirect: Redirect
}

/** Ends before the runtime's own deadline, so that the runtime hears what the API server said and not only "too late". */
const askingMs = 40_000

/** Asks the API server what a pod is, and walks the rest of the ladder; `undefined` for a pod that is none of our business. */
export async function redirectOfPod(
  c: AddContext<Conf>,
  settings: Settings,
  who: PodIdentity,
): Promise<FoundRedirect | undefined> {
  const fields = { pod: label(who) }
  const api = askOptions(c, settings, who)
  const pod = podInfo(await getPod(who, api))
  if (maybeAmbient(pod, settings)) {
    const { enrolIfAmbient } = await import('./ambient.ts')
    if (await enrolIfAmbient(c, settings, pod, api)) return undefined
  }
  const skip = withoutSidecar(pod)
  if (skip !== undefined) {
    c.log[skip.level](skip.reason, fields)
    return undefined
  }
  try {
    const log = (level: 'info' | 'warn', message: string, more: object) => c.log[level](message, { ...fields, ...more })
    return { pod, redirect: redirectFor(pod, { log, env: c.env }) }
  } catch (error) {
    c.log.error(`redirect failed due to bad params: ${messageOf(error)}`, fields)
    throw error
  }
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
    onRetry: (error, { made }) => c.log.warn(`asking again: ${error.message}`, { pod: label(who), requests: made }),
  }
}

const label = ({ namespace, name }: PodIdentity): string => `${namespace}/${name}`
