import type { PodIdentity } from '../kube/pod-identity.ts'
import type { Settings } from '../plugin/settings.ts'
import type { CaptureConfig } from '../redirect/config.ts'
import type { PodInfo } from '../redirect/pod-info.ts'
import type { Environment } from '../redirect/proxy-env.ts'
import type { Redirect } from '../redirect/redirect.ts'
import { quoted } from './before-asking.ts'
import { captureOfPod, type KnownAddresses } from './captured-families.ts'
import { maybeAmbient } from './ladder.ts'
import type { DecisionLog } from './log.ts'
import { redirectionOf } from './redirection.ts'

/** Which pod is meant. Without a UID the name may be that of an earlier one. */
export interface AskedPod extends PodIdentity {
  /** `K8S_POD_UID`, as the runtime says it. */
  readonly uid?: string | undefined
}

/** An ADD of a pod that `beforeAsking` does not skip. */
export interface AddCall {
  readonly pod: AskedPod
  readonly settings: Pick<Settings, 'ambientSelectors' | 'ambientOptOut'>
  /** The node's own variables. */
  readonly env: Environment
}

/** Where {@link decideAdd} learns what it decides by: the agent's watches, or the API server and the kernel. */
export interface AddSources {
  /** What the pod is. Rejects where that cannot be said. */
  pod(who: AskedPod): Promise<PodInfo>
  /** Enrols a pod in ambient mode if the selectors choose it: whether they do. Rejects where it could not be enrolled. */
  enrol(pod: PodInfo): Promise<boolean>
  addresses(): Promise<KnownAddresses>
  /** Throws for more than this source answers. Default: whatever the annotations may ask for. */
  bound?(redirect: Redirect): void
}

/** What an ADD does: nothing, or the rules of a configuration. */
export type Decision = { readonly act: 'skip' } | { readonly act: 'redirect'; readonly config: CaptureConfig }

/**
 * Decides about an ADD, and says in the log why. The only decision there is: by the agent for the plugins of its node, or by
 * a plugin for itself.
 *
 * @throws CniError, RedirectError: why the pod cannot start; and whatever a source throws.
 */
export async function decideAdd(call: AddCall, sources: AddSources, log: DecisionLog): Promise<Decision> {
  const pod = await sources.pod(call.pod)
  if (maybeAmbient(pod, call.settings) && (await sources.enrol(pod))) {
    log.info('the node agent enrolled the pod in ambient mode', { pod: quoted(pod) })
    return { act: 'skip' }
  }
  const found = redirectionOf(pod, { log, env: call.env })
  if (found === undefined) return { act: 'skip' }
  sources.bound?.(found.redirect)
  return { act: 'redirect', config: captureOfPod(found, await sources.addresses(), log) }
}
