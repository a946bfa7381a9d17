import type { CaptureConfig, PodIdentity, PodInfo, Redirect } from '@cni/istio-rules'
import { maybeAmbient, podRef } from '@cni/istio-rules'
import type { Settings } from '../conf/settings.ts'
import { captureOfPod, type KnownAddresses } from './captured-families.ts'
import type { DecisionLog } from './log.ts'
import { redirectionOf } from './redirection.ts'

/** Pod of an ADD. Without a UID, the name may belong to an earlier pod. */
export interface AskedPod extends PodIdentity {
  /** `K8S_POD_UID` from the runtime. */
  readonly uid?: string | undefined
}

/** An ADD of a pod that `decideWithoutApi` does not skip. */
export interface AddCall {
  readonly pod: AskedPod
  readonly settings: Pick<Settings, 'ambientSelectors' | 'ambientOptOut'>
  /** Environment variables of the node. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Data sources of a decision: the agent's watches, or the API server and the kernel. */
export interface AddSources {
  /** Finds the pod. Rejects if it cannot. */
  pod(who: AskedPod): Promise<PodInfo>
  /**
   * Enrols a pod in ambient mode if the selectors choose it. Resolves to false if they do not. Rejects if the enrolment
   * failed.
   */
  enrol(pod: PodInfo): Promise<boolean>
  addresses(): Promise<KnownAddresses>
  /**
   * Throws if the pod asks for more rules than this source allows. If `bound` is absent, only the limits of annotations
   * apply.
   */
  bound?(redirect: Redirect): void
}

/** Decision about an ADD: no redirection, or the configuration that the rules are built from. */
export type Decision = { readonly act: 'skip' } | { readonly act: 'redirect'; readonly config: CaptureConfig }

/**
 * Decides about an ADD, and logs the reason. The agent calls it for the plugins of its node, and a plugin for itself.
 *
 * @throws CniError, RedirectError if the pod cannot start; and any error of a source.
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
