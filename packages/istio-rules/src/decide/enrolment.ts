import type { AmbientPod } from './ambient-pod.ts'
import { redirectionAnnotation, statusAnnotation } from './decide-without-api.ts'
import type { EnablementSelector } from './decision-settings.ts'
import { type Labels, selects } from './label-selector.ts'
import { redirectionStatus } from './redirection-status.ts'

/** Settings of the node that decide which pods belong to the ambient mesh. */
export interface EnrolmentSettings {
  /** Selectors of pods for ambient mode: a pod has to match one of the selectors. */
  readonly selectors: readonly EnablementSelector[]
  readonly excludeNamespaces: readonly string[]
  /** Namespace in which the ztunnel pods run. */
  readonly systemNamespace: string
  /**
   * True if the redirection annotation `disabled` excludes a pod from ambient mode. Used only if the redirection rules
   * are in the node's namespace.
   */
  readonly optOut?: boolean | undefined
}

/** Decision about a pod's membership in the ambient mesh. `why` is a sentence without the pod's name. */
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
 * Decides with a reason if a pod belongs to the ambient mesh. The redirection annotation `disabled` excludes a pod only
 * if `optOut` is set.
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
 * True if the agent's snapshot for ztunnel contains the pod. The redirection annotation decides, because rules redirect
 * traffic until the agent removes them.
 */
export const belongsInSnapshot = (pod: AmbientPod, settings: Pick<EnrolmentSettings, 'systemNamespace'>): boolean =>
  redirectionStatus(pod) === 'enabled' && !pod.completed && !pod.hostNetwork && !isZtunnel(pod, settings)

/** True if a namespace's label change can add or remove mesh pods. `before` is `undefined` for a new namespace. */
export function namespaceMatters(
  before: Labels | undefined,
  after: Labels,
  { selectors }: Pick<EnrolmentSettings, 'selectors'>,
): boolean {
  if (before === undefined) return true
  // Compares each selector separately, because one change can affect two selectors in opposite ways.
  return selectors.some(({ namespaceSelector }) => {
    const selector = namespaceSelector ?? {}
    return selects(selector, before) !== selects(selector, after)
  })
}

/** Returns a warning about an excluded namespace whose labels ask for ambient mode. */
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

/** True for a ztunnel pod: it has ztunnel's label, in ztunnel's namespace. */
export const isZtunnel = (
  { namespace, labels }: AmbientPod,
  { systemNamespace }: Pick<EnrolmentSettings, 'systemNamespace'>,
): boolean => namespace === systemNamespace && Object.hasOwn(labels, 'app') && labels.app === 'ztunnel'

const isEmpty = (selector: EnablementSelector['namespaceSelector']): boolean =>
  Object.keys(selector?.matchLabels ?? {}).length + (selector?.matchExpressions ?? []).length === 0
