import type { AddContext, Log } from '@cni/skel'
import { CniError, ErrorCode } from '@cni/types'
import { kubeClient } from '../kube/client.ts'
import { getPod } from '../kube/get-pod.ts'
import { loadKubeconfig } from '../kube/kubeconfig.ts'
import type { PodIdentity } from '../kube/pod.ts'
import { type PodInfo, podInfo } from '../redirect/pod-info.ts'
import { type Redirect, redirectFor } from '../redirect/redirect.ts'
import type { Conf } from './conf.ts'
import { beforeAsking, maybeAmbient, podAnnotationsKey, withoutSidecar } from './ladder.ts'
import type { Settings } from './settings.ts'

/** A pod whose traffic is to be redirected, and how. */
export interface FoundRedirect {
  readonly pod: PodInfo
  readonly redirect: Redirect
}

/** Ends before the runtime's own deadline, so that the runtime hears what the API server said and not only "too late". */
const askingMs = 40_000

/** Walks the decision ladder; `undefined` for a pod that is none of our business. */
export async function findRedirect(c: AddContext<Conf>, settings: Settings): Promise<FoundRedirect | undefined> {
  const podAnnotations = c.conf.runtimeConfig?.[podAnnotationsKey]
  const first = beforeAsking({ pod: c.k8s, podAnnotations, settings })
  if (first.act === 'skip') {
    c.log[first.level](first.reason, c.k8s && { pod: label(c.k8s) })
    return undefined
  }
  const fields = { pod: label(first.pod) }
  const pod = podInfo(await ask(c, settings, first.pod))
  if (maybeAmbient(pod, settings)) leaveAmbientUndecided(c.log, settings, first.pod)
  const skip = withoutSidecar(pod)
  if (skip !== undefined) {
    c.log[skip.level](skip.reason, fields)
    return undefined
  }
  try {
    const log = (level: 'info' | 'warn', message: string, more: object) => c.log[level](message, { ...fields, ...more })
    return { pod, redirect: redirectFor(pod, { log, env: c.env }) }
  } catch (error) {
    c.log.error(`redirect failed due to bad params: ${error instanceof Error ? error.message : String(error)}`, fields)
    throw error
  }
}

async function ask(c: AddContext<Conf>, { kubeconfig, runDir }: Settings, who: PodIdentity) {
  if (kubeconfig === undefined) {
    throw new CniError(
      ErrorCode.invalidNetworkConfig,
      `cni_agent_run_dir: expected a path, got ${JSON.stringify(runDir)}`,
      {
        hint: 'the kubeconfig of the node agent is looked for there',
      },
    )
  }
  return getPod(who, {
    connect: async () => kubeClient(await loadKubeconfig(kubeconfig)),
    signal: AbortSignal.any([c.signal, AbortSignal.timeout(askingMs)]),
    onRetry: (error, { made }) => c.log.warn(`asking again: ${error.message}`, { pod: label(who), requests: made }),
  })
}

/**
 * Ambient mode is not part of this plugin yet, which is the same as a look-up that fails: by default the pod is taken as
 * not ambient, with detection retries on it may not start.
 */
function leaveAmbientUndecided(log: Log, { ambientFailsClosed }: Settings, pod: PodIdentity): void {
  const what = `pod ${label(pod)} has no sidecar and ambient_enabled is set, but this plugin cannot enrol pods in ambient mode yet`
  if (ambientFailsClosed) {
    throw new CniError(ErrorCode.unsupportedField, `ambient_enabled: ${what}`, {
      hint: 'enable_ambient_detection_retry asks for a failure in this case',
    })
  }
  log.warn(`${what}: it is treated as not ambient`, { pod: label(pod) })
}

const label = ({ namespace, name }: PodIdentity): string => `${namespace}/${name}`
