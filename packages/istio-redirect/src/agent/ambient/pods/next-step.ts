import type { AmbientPod, Labels } from '@cni/istio-rules'
import { decideEnrolment, type EnrolmentSettings, type RedirectionStatus, redirectionStatus } from '@cni/istio-rules'
import type { KubeRequest } from '@cni/kube'
import { annotationPatch } from './annotation.ts'

/** State that a pod's enrolment in the mesh has reached. */
export interface Reached {
  readonly status: RedirectionStatus
  readonly addresses: readonly string[]
  /** True if the pod had a sidecar, which may have written rules in the pod. */
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
  /** State of the pod's enrolment by this agent. `undefined` while the pod is outside the mesh. */
  readonly reached: Reached | undefined
}

/** Next enrolment step of a pod, with the reason. `waiting`: enrolment is not possible yet. */
export type EnrolmentStep =
  | { readonly step: 'none'; readonly waiting: boolean; readonly why: string }
  | { readonly step: 'enrol'; readonly addresses: readonly string[]; readonly why: string }
  | { readonly step: 'addresses'; readonly addresses: readonly string[]; readonly why: string }
  | { readonly step: 'annotate'; readonly patch: KubeRequest; readonly why: string }
  | {
      readonly step: 'leave'
      readonly rules: RulesToRemove
      readonly patch: KubeRequest | undefined
      readonly why: string
    }

/** Rules to remove when a pod leaves the mesh. `proven` keeps a sidecar's rules. */
export type RulesToRemove = 'all' | 'proven' | 'none'

/** Chooses the next enrolment step for a pod. Callers repeat until the result is `none`. */
export function nextStep(situation: PodSituation, settings: EnrolmentSettings): EnrolmentStep {
  const { pod, deleted, namespaceLabels, reached } = situation
  const inMesh = reached !== undefined || redirectionStatus(pod) !== undefined
  if (deleted) return afterDeletion(situation, settings, inMesh)
  if (pod.completed) {
    // Removes no rules, because the kernel removes the rules with the ended pod's namespace.
    return inMesh ? leave(pod, 'none', 'it has ended') : none('it has ended')
  }
  if (namespaceLabels === undefined) return wait(`its namespace ${pod.namespace} is not known yet`)
  const decision = decideEnrolment(pod, namespaceLabels, settings)
  if (decision.enrolled) return towardsEnrolled(situation, decision.why)
  if (!inMesh) return none(decision.why)
  // Removes no rules, because a host-network pod has the node's rules. Its annotation may be a user's.
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
  // Ignores an empty list of addresses, because the removal still needs an ending pod's addresses.
  if (addresses.length > 0 && !sameAddresses(addresses, reached.addresses)) {
    return { step: 'addresses', addresses, why: `its addresses changed from ${reached.addresses.join(', ') || 'none'}` }
  }
  const patch = annotationPatch(pod, 'enabled')
  return patch === undefined
    ? none('it is enrolled')
    : { step: 'annotate', patch, why: 'it is enrolled, but its annotation has another value' }
}

/** Chooses the step for a deleted pod, whose annotation and namespace have disappeared. */
function afterDeletion(
  { pod, namespaceLabels }: PodSituation,
  settings: EnrolmentSettings,
  inMesh: boolean,
): EnrolmentStep {
  // Also removes a deleted pod without the annotation, because the pod's enrolment may have been in progress.
  const mayBe =
    !pod.completed && decideEnrolment(pod, namespaceLabels ?? {}, { ...settings, excludeNamespaces: [] }).enrolled
  if (!inMesh && !mayBe) return none('it was deleted')
  return { step: 'leave', rules: 'none', patch: undefined, why: 'it was deleted' }
}

const none = (why: string): EnrolmentStep => ({ step: 'none', waiting: false, why })
const wait = (why: string): EnrolmentStep => ({ step: 'none', waiting: true, why })

const leave = (pod: AmbientPod, rules: RulesToRemove, why: string): EnrolmentStep => ({
  step: 'leave',
  rules,
  patch: annotationPatch(pod, undefined),
  why,
})

const sameAddresses = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((address) => other.includes(address))
