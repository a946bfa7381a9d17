import type { AmbientPod, Labels } from '@cni/istio-rules'
import { decideEnrolment, type EnrolmentSettings, type RedirectionStatus, redirectionStatus } from '@cni/istio-rules'
import type { KubeRequest } from '@cni/kube'
import { annotationPatch } from './annotation.ts'

/** How far a pod is. */
export interface Reached {
  readonly status: RedirectionStatus
  readonly addresses: readonly string[]
  /** When this agent began it had a sidecar already, which may have rules in it. */
  readonly hadSidecar?: boolean | undefined
}

/** What is known of a pod when it is its turn, whatever the occasion: a watch, a namespace's labels, a retry. */
export interface PodSituation {
  /** As last seen. */
  readonly pod: AmbientPod
  /** It has been deleted. One that is being deleted stays in the mesh until it is gone. */
  readonly deleted: boolean
  /** `undefined`: nothing is known of its namespace. */
  readonly namespaceLabels: Labels | undefined
  /** How far this agent got with its UID; `undefined`: it did nothing for it, or took everything back. */
  readonly reached: Reached | undefined
}

/**
 * What to do about a pod, and why, in a sentence without its name.
 *
 * - `none`: nothing, or nothing yet (`waiting`).
 * - `enrol`: rules into its namespace, to ztunnel, its addresses into the node's sets, then the annotation.
 * - `addresses`: the node's sets only.
 * - `annotate`: the annotation only, which somebody else changed.
 * - `leave`: out of the sets and ztunnel, then the annotation; rules are taken out of a namespace that lives on
 *   (`proven`: those that nobody but an agent can have written).
 */
export type EnrolmentStep =
  | { readonly step: 'none'; readonly waiting: boolean; readonly why: string }
  | { readonly step: 'enrol'; readonly addresses: readonly string[]; readonly why: string }
  | { readonly step: 'addresses'; readonly addresses: readonly string[]; readonly why: string }
  | { readonly step: 'annotate'; readonly patch: KubeRequest; readonly why: string }
  | { readonly step: 'leave'; readonly rules: LeftRules; readonly patch: KubeRequest | undefined; readonly why: string }

/** Which rules leave with a pod. */
export type LeftRules = 'all' | 'proven' | 'none'

/**
 * What to do about a pod now. Of a pod that still is there one more look after each step tells what is left, until the
 * answer is `none`; when every step succeeds that takes three at most.
 */
export function nextStep(situation: PodSituation, settings: EnrolmentSettings): EnrolmentStep {
  const { pod, deleted, namespaceLabels, reached } = situation
  const inMesh = reached !== undefined || redirectionStatus(pod) !== undefined
  if (deleted) return afterDeletion(situation, settings, inMesh)
  if (pod.completed) {
    // Nobody is left whose traffic the rules could divert, and the kernel drops them with the namespace.
    return inMesh ? leave(pod, 'none', 'it has ended') : none('it has ended')
  }
  if (namespaceLabels === undefined) return wait(`nothing is known yet of its namespace ${pod.namespace}`)
  const decision = decideEnrolment(pod, namespaceLabels, settings)
  if (decision.enrolled) return towardsEnrolled(situation, decision.why)
  if (!inMesh) return none(decision.why)
  // An annotation alone may be a user's doing: neither the node's rules nor those of a sidecar are touched for it.
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
  // At its end a pod may lose its addresses before it is gone; then those it had are still the ones to forget.
  if (addresses.length > 0 && !sameAddresses(addresses, reached.addresses)) {
    return { step: 'addresses', addresses, why: `its addresses changed from ${reached.addresses.join(', ') || 'none'}` }
  }
  const patch = annotationPatch(pod, 'enabled')
  return patch === undefined
    ? none('it is enrolled')
    : { step: 'annotate', patch, why: 'it is enrolled, but its annotation says otherwise' }
}

/** There is no pod left to annotate; its namespace is the kernel's business. */
function afterDeletion(
  { pod, namespaceLabels }: PodSituation,
  settings: EnrolmentSettings,
  inMesh: boolean,
): EnrolmentStep {
  // One that was about to be enrolled may be further than its annotation; that its namespace is excluded, or gone, is
  // no reason to keep it.
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
