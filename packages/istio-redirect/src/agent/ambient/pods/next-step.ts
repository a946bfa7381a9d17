import type { AmbientPod, Labels } from '@cni/istio-rules'
import { decideEnrolment, type EnrolmentSettings, type RedirectionStatus, redirectionStatus } from '@cni/istio-rules'
import type { KubeRequest } from '@cni/kube'
import { annotationPatch } from './annotation.ts'

/** Progress of a pod's enrolment. */
export interface Reached {
  readonly status: RedirectionStatus
  readonly addresses: readonly string[]
  /** True if the pod had a sidecar when this agent started. The sidecar may have written rules. */
  readonly hadSidecar?: boolean | undefined
}

/** Known facts about a pod at its turn in the queue. */
export interface PodSituation {
  /** Last state from the watch. */
  readonly pod: AmbientPod
  /** True after the deletion of the pod. A pod that is being deleted stays in the mesh until then. */
  readonly deleted: boolean
  /** Labels of the pod's namespace. `undefined` if the namespace is unknown. */
  readonly namespaceLabels: Labels | undefined
  /**
   * Progress of the enrolment by this agent, for the pod's UID. `undefined` if the agent did nothing, or removed
   * everything.
   */
  readonly reached: Reached | undefined
}

/**
 * Step for a pod, with the reason as a sentence without the pod's name.
 *
 * - `none`: no step, or no step yet (`waiting`).
 * - `enrol`: install rules, send the pod to ztunnel, add its addresses to the node's sets, set the annotation.
 * - `addresses`: update the node's sets.
 * - `annotate`: restore the annotation, which another writer changed.
 * - `leave`: remove the pod from the sets and ztunnel, and its annotation. Rules are removed if the namespace still
 *   exists.
 */
export type EnrolmentStep =
  | { readonly step: 'none'; readonly waiting: boolean; readonly why: string }
  | { readonly step: 'enrol'; readonly addresses: readonly string[]; readonly why: string }
  | { readonly step: 'addresses'; readonly addresses: readonly string[]; readonly why: string }
  | { readonly step: 'annotate'; readonly patch: KubeRequest; readonly why: string }
  | { readonly step: 'leave'; readonly rules: LeftRules; readonly patch: KubeRequest | undefined; readonly why: string }

/** Rules to remove when a pod leaves. `proven` are rules that only an agent can have written. */
export type LeftRules = 'all' | 'proven' | 'none'

/**
 * Chooses the next step for a pod. Callers repeat this after each step until the result is `none`. If the steps
 * succeed, at
 * most three are needed.
 */
export function nextStep(situation: PodSituation, settings: EnrolmentSettings): EnrolmentStep {
  const { pod, deleted, namespaceLabels, reached } = situation
  const inMesh = reached !== undefined || redirectionStatus(pod) !== undefined
  if (deleted) return afterDeletion(situation, settings, inMesh)
  if (pod.completed) {
    // The pod has ended: its rules affect no traffic any more, and the kernel drops them with the namespace.
    return inMesh ? leave(pod, 'none', 'it has ended') : none('it has ended')
  }
  if (namespaceLabels === undefined) return wait(`its namespace ${pod.namespace} is not known yet`)
  const decision = decideEnrolment(pod, namespaceLabels, settings)
  if (decision.enrolled) return towardsEnrolled(situation, decision.why)
  if (!inMesh) return none(decision.why)
  // A user may have written the annotation. It alone is no reason to remove rules of the node or of a sidecar.
  if (decision.reason === 'host-network') return leave(pod, 'none', decision.why)
  const isKnown = decision.reason !== 'sidecar' || (reached !== undefined && reached.hadSidecar !== true)
  return leave(pod, isKnown ? 'all' : 'proven', decision.why)
}

// internal

function towardsEnrolled({ pod, reached }: PodSituation, why: string): EnrolmentStep {
  const { addresses } = pod
  if (reached?.status !== 'enabled') {
    return addresses.length === 0 ? wait('it has no address yet') : { step: 'enrol', addresses, why }
  }
  // A pod that ends may lose its addresses before its deletion. The former addresses are then still needed for the
  // removal.
  if (addresses.length > 0 && !sameAddresses(addresses, reached.addresses)) {
    return { step: 'addresses', addresses, why: `its addresses changed from ${reached.addresses.join(', ') || 'none'}` }
  }
  const patch = annotationPatch(pod, 'enabled')
  return patch === undefined
    ? none('it is enrolled')
    : { step: 'annotate', patch, why: 'it is enrolled, but its annotation has another value' }
}

/** Step after a deletion: the annotation is gone with the pod, and the kernel removes the namespace. */
function afterDeletion(
  { pod, namespaceLabels }: PodSituation,
  settings: EnrolmentSettings,
  inMesh: boolean,
): EnrolmentStep {
  // The pod may lack the annotation because its enrolment was in progress. It therefore leaves the mesh also without an
  // annotation, even if its namespace is excluded or missing.
  const mayBe =
    !pod.completed && decideEnrolment(pod, namespaceLabels ?? {}, { ...settings, excludeNamespaces: [] }).enrolled
  if (!inMesh && !mayBe) return none('it was deleted')
  return { step: 'leave', rules: 'none', patch: undefined, why: 'it was deleted' }
}

const none = (why: string): EnrolmentStep => ({ step: 'none', waiting: false, why })
const wait = (why: string): EnrolmentStep => ({ step: 'none', waiting: true, why })

const leave = (pod: AmbientPod, rules: LeftRules, why: string): EnrolmentStep => ({
  step: 'leave',
  rules,
  patch: annotationPatch(pod, undefined),
  why,
})

const sameAddresses = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((address) => other.includes(address))
