import type { AmbientPod, Labels } from '@cni/istio-rules'
import { decideEnrolment, type EnrolmentSettings, type RedirectionStatus, redirectionStatus } from '@cni/istio-rules'
import type { KubeRequest } from '@cni/kube'
import { annotationPatch } from './annotation.ts'

/** State that a pod's enrolment in the mesh has reached. */
export interface Reached {
  readonly status: RedirectionStatus
  readonly addresses: readonly string[]
  /** True if the pod had a sidecar when this agent took over the pod. The sidecar may have written rules in the pod. */
  readonly hadSidecar?: boolean | undefined
}

/** Known facts about a pod. They determine the next step of its enrolment. */
export interface PodSituation {
  /** Pod as the API server last reported it. */
  readonly pod: AmbientPod
  /** True after the API server has deleted the pod. Until then, a pod in deletion stays in the mesh. */
  readonly deleted: boolean
  /** Labels of the pod's Kubernetes namespace. `undefined` if the namespace is unknown. */
  readonly namespaceLabels: Labels | undefined
  /**
   * State that the pod's enrolment by this agent has reached. It is `undefined` before the enrolment, and after the pod
   * has left the mesh.
   */
  readonly reached: Reached | undefined
}

/**
 * Next enrolment step of a pod. The member `why` is the reason as a sentence without the pod's name.
 *
 * - `none`: no step now. With `waiting`, the pod cannot be enrolled yet.
 * - `enrol`: install the pod's rules, send the pod to ztunnel, add its addresses to the node's sets, write its
 *   annotation.
 * - `addresses`: update the pod's addresses in the node's sets.
 * - `annotate`: restore the pod's annotation, which another writer changed.
 * - `leave`: remove the pod from the sets and from ztunnel, and remove its annotation. The pod's rules are removed if
 *   its network namespace still exists.
 */
export type EnrolmentStep =
  | { readonly step: 'none'; readonly waiting: boolean; readonly why: string }
  | { readonly step: 'enrol'; readonly addresses: readonly string[]; readonly why: string }
  | { readonly step: 'addresses'; readonly addresses: readonly string[]; readonly why: string }
  | { readonly step: 'annotate'; readonly patch: KubeRequest; readonly why: string }
  | { readonly step: 'leave'; readonly rules: LeftRules; readonly patch: KubeRequest | undefined; readonly why: string }

/**
 * Choice of the rules to remove from a pod that leaves the mesh. With `proven`, only rules that certainly belong to
 * ambient mode are removed. Rules of a sidecar stay.
 */
export type LeftRules = 'all' | 'proven' | 'none'

/**
 * Chooses the next enrolment step for a pod. Callers perform the step and call again until the result is `none`. If the
 * steps succeed, at most three are needed.
 */
export function nextStep(situation: PodSituation, settings: EnrolmentSettings): EnrolmentStep {
  const { pod, deleted, namespaceLabels, reached } = situation
  const inMesh = reached !== undefined || redirectionStatus(pod) !== undefined
  if (deleted) return afterDeletion(situation, settings, inMesh)
  if (pod.completed) {
    // Removes no rules, because the pod has ended. The rules affect no traffic any more, and the kernel removes them
    // with the network namespace.
    return inMesh ? leave(pod, 'none', 'it has ended') : none('it has ended')
  }
  if (namespaceLabels === undefined) return wait(`its namespace ${pod.namespace} is not known yet`)
  const decision = decideEnrolment(pod, namespaceLabels, settings)
  if (decision.enrolled) return towardsEnrolled(situation, decision.why)
  if (!inMesh) return none(decision.why)
  // Keeps the node's rules for a pod on the host network, and the rules of a sidecar. Reason: the pod may count as
  // enrolled only because of its annotation, which a user may have written.
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
  // Ignores an empty list of addresses. An ending pod may lose its addresses before its deletion, and the removal from
  // the node's sets still needs them.
  if (addresses.length > 0 && !sameAddresses(addresses, reached.addresses)) {
    return { step: 'addresses', addresses, why: `its addresses changed from ${reached.addresses.join(', ') || 'none'}` }
  }
  const patch = annotationPatch(pod, 'enabled')
  return patch === undefined
    ? none('it is enrolled')
    : { step: 'annotate', patch, why: 'it is enrolled, but its annotation has another value' }
}

/**
 * Chooses the step for a deleted pod. The annotation has disappeared with the pod, and the kernel removes the pod's
 * network namespace.
 */
function afterDeletion(
  { pod, namespaceLabels }: PodSituation,
  settings: EnrolmentSettings,
  inMesh: boolean,
): EnrolmentStep {
  // A deleted pod without the annotation must also leave the mesh, because its enrolment may have been in progress.
  // This also applies to a pod whose Kubernetes namespace is excluded or missing by now.
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
