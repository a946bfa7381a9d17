import type { CaptureConfig, PodIdentity, PodInfo, Redirect } from '@cni/istio-rules'
import { maybeAmbient, podRef } from '@cni/istio-rules'
import type { Settings } from '../conf/settings.ts'
import { captureOfPod, type KnownAddresses } from './captured-families.ts'
import type { DecisionLog } from './log.ts'
import { redirectionOf } from './redirection.ts'

/** Pod of an ADD call. The UID distinguishes the pod from an earlier pod with the same name. */
export interface RequestedPod extends PodIdentity {
  /** UID of the pod: the value of `K8S_POD_UID` from the container runtime. */
  readonly uid?: string | undefined
}

/** ADD call of a pod that the earlier check `decideWithoutApi` has not skipped. */
export interface AddCall {
  readonly pod: RequestedPod
  readonly settings: Pick<Settings, 'ambientSelectors' | 'ambientOptOut'>
  /** Environment variables of the plugin's process on the node. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Data sources for the decision about an ADD: the agent's watches, or the API server and the kernel. */
export interface AddSources {
  /** Finds the pod of the ADD. Rejects if the pod cannot be found. */
  pod(who: RequestedPod): Promise<PodInfo>
  /** Enrols a pod in the ambient mesh if the selectors choose the pod. */
  enrol(pod: PodInfo): Promise<boolean>
  addresses(): Promise<KnownAddresses>
  /** Throws if the pod needs too many rules for one netlink batch of the agent. */
  bound?(redirect: Redirect): void
}

/** Decision about an ADD: no redirection, or the capture configuration from which the rules are built. */
export type Decision = { readonly act: 'skip' } | { readonly act: 'redirect'; readonly config: CaptureConfig }

/**
 * Decides about an ADD and logs the reason. Runs in the agent or in the plugin.
 *
 * @throws CniError or RedirectError for a pod whose ADD has to fail; also any error of a data source.
 */
export async function decideAdd(call: AddCall, sources: AddSources, log: DecisionLog): Promise<Decision> {
  const pod = await sources.pod(call.pod)
  if (maybeAmbient(pod, call.settings) && (await sources.enrol(pod))) {
    log.info('the node agent enrolled the pod in ambient mode', { pod: podRef(pod) })
    return { act: 'skip' }
  }
  const found = redirectionOf(pod, { log, env: call.env })
  if (found === undefined) return { act: 'skip' }
  sources.bound?.(found.redirect)
  return { act: 'redirect', config: captureOfPod(found, await sources.addresses(), log) }
}
