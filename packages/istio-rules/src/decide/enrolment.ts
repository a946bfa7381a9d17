import type { AmbientPod } from './ambient-pod.ts'
import { redirectionAnnotation, statusAnnotation } from './decide-without-api.ts'
import type { EnablementSelector } from './decision-settings.ts'
import { type Labels, selects } from './label-selector.ts'
import { redirectionStatus } from './redirection-status.ts'

/** What decides besides the pod and its namespace. */
export interface EnrolmentSettings {
  /** A pod that any of them chooses is ambient. */
  readonly selectors: readonly EnablementSelector[]
  readonly excludeNamespaces: readonly string[]
  /** Where ztunnel runs. */
  readonly systemNamespace: string
  /** A pod whose annotation says `disabled` stays outside: the rules of Istio 1.19, for redirection on the node. */
  readonly optOut?: boolean | undefined
}

/** Whether a pod belongs into the mesh; `why` is a sentence about the pod, without its name. */
export type EnrolmentDecision =
  | { readonly enrolled: true; readonly why: string }
  | {
      readonly enrolled: false
      readonly reason:
        | 'host-network'
        | 'ztunnel'
        | 'sidecar'
        | 'opted-out'
        | 'not-selected'
        | 'namespace-excluded'
        | 'completed'
      readonly why: string
    }

/**
 * Whether a pod belongs into the mesh. Its annotation says how far it is and does not count here.
 *
 * @example
 * ```ts
 * import { decideEnrolment, readAmbientPod } from '@cni/istio-rules'
 *
 * const mode = 'istio.io/dataplane-mode'
 * const settings = {
 *   selectors: [{ podSelector: { matchLabels: { [mode]: 'ambient' } } }],
 *   excludeNamespaces: ['kube-system'],
 *   systemNamespace: 'istio-system',
 * }
 * const pod = readAmbientPod({ metadata: { namespace: 'shop', name: 'web', uid: 'u-1', labels: { [mode]: 'ambient' } } })
 * export const decision = pod && decideEnrolment(pod, {}, settings) // enrolled
 * ```
 */
export function decideEnrolment(
  pod: AmbientPod,
  namespaceLabels: Labels,
  settings: EnrolmentSettings,
): EnrolmentDecision {
  if (pod.hostNetwork) return no('host-network', 'it uses the network of the node')
  if (isZtunnel(pod, settings)) return no('ztunnel', 'it is ztunnel itself')
  if (Object.hasOwn(pod.annotations, statusAnnotation)) {
    return no('sidecar', `it has a sidecar (annotation ${statusAnnotation})`)
  }
  if (settings.optOut === true && redirectionOf(pod) === 'disabled') {
    return no('opted-out', `its annotation ${redirectionAnnotation} says disabled`)
  }
  const chosenBy = settings.selectors.findIndex((each) => chooses(each, pod.labels, namespaceLabels))
  if (chosenBy === -1) return no('not-selected', 'no enablement selector chooses it')
  if (settings.excludeNamespaces.includes(pod.namespace)) {
    return no('namespace-excluded', `its namespace ${pod.namespace} is excluded`)
  }
  if (pod.completed) return no('completed', 'it has ended')
  return { enrolled: true, why: `enablement selector ${chosenBy + 1} chooses it` }
}

/**
 * Whether a pod is part of what a ztunnel is told when it connects. That it got as far as `enabled` counts, not whether
 * it still should be: what is in the kernel stays in use until it is taken out.
 */
export const belongsInSnapshot = (pod: AmbientPod, settings: Pick<EnrolmentSettings, 'systemNamespace'>): boolean =>
  redirectionStatus(pod) === 'enabled' && !pod.completed && !pod.hostNetwork && !isZtunnel(pod, settings)

/** Whether the pods of a namespace have to be looked at again; it has no labels `before` when it is new. */
export function namespaceMatters(
  before: Labels | undefined,
  after: Labels,
  { selectors }: Pick<EnrolmentSettings, 'selectors'>,
): boolean {
  if (before === undefined) return true
  // One by one: a pod may be chosen by another selector than before, or no longer, while some selector still matches.
  return selectors.some(({ namespaceSelector }) => {
    const selector = namespaceSelector ?? {}
    return selects(selector, before) !== selects(selector, after)
  })
}

/** What is odd about a namespace, for the log: its labels ask for what the settings rule out. */
export function namespaceWarning(name: string, labels: Labels, settings: EnrolmentSettings): string | undefined {
  if (!settings.excludeNamespaces.includes(name)) return undefined
  const asksFor = settings.selectors.some(
    ({ namespaceSelector }) => !isEmpty(namespaceSelector) && selects(namespaceSelector ?? {}, labels),
  )
  return asksFor ? `namespace ${name} asks for ambient mode, but is excluded: its pods are not enrolled` : undefined
}

// internal

const redirectionOf = ({ annotations }: AmbientPod): string | undefined =>
  Object.hasOwn(annotations, redirectionAnnotation) ? annotations[redirectionAnnotation] : undefined

type Refusal = Extract<EnrolmentDecision, { enrolled: false }>

const no = (reason: Refusal['reason'], why: string): Refusal => ({ enrolled: false, reason, why })

const chooses = ({ podSelector, namespaceSelector }: EnablementSelector, pod: Labels, namespace: Labels): boolean =>
  selects(podSelector ?? {}, pod) && selects(namespaceSelector ?? {}, namespace)

/** Whether a pod is a ztunnel: by its label, in the namespace where they run. */
export const isZtunnel = (
  { namespace, labels }: AmbientPod,
  { systemNamespace }: Pick<EnrolmentSettings, 'systemNamespace'>,
): boolean => namespace === systemNamespace && Object.hasOwn(labels, 'app') && labels.app === 'ztunnel'

const isEmpty = (selector: EnablementSelector['namespaceSelector']): boolean =>
  Object.keys(selector?.matchLabels ?? {}).length + (selector?.matchExpressions ?? []).length === 0
