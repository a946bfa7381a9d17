import { quote } from '@cni/types'
import { capturesNothing } from '../capture/redirect.ts'
import { goBool } from '../pod/go-bool.ts'
import { podRef } from '../pod/pod-identity.ts'
import type { PodInfo } from '../pod/pod-info.ts'
import { redirectionAnnotation, type Skip, skip, statusAnnotation } from './decide-without-api.ts'
import type { DecisionSettings } from './decision-settings.ts'

const injectKey = 'sidecar.istio.io/inject'

/** True if the ambient selectors must be checked. A pod with a sidecar or the host network is never ambient. */
export const maybeAmbient = (
  pod: PodInfo,
  settings: Pick<DecisionSettings, 'ambientSelectors' | 'ambientOptOut'>,
): boolean =>
  settings.ambientSelectors.length > 0 &&
  !pod.hostNetwork &&
  !Object.hasOwn(pod.annotations, statusAnnotation) &&
  !(settings.ambientOptOut && own(pod.annotations, redirectionAnnotation) === 'disabled')

/** Checks a pod of the API server. Returns the reason to skip the pod. `undefined` means that the pod has a sidecar. */
export function skipReason(pod: PodInfo): Skip | undefined {
  const { containers, proxyEnv, proxyType, annotations } = pod
  if (pod.hostNetwork) return skip('excluded due to using the network of the host')
  if (containers.has('istio-init')) return skip('excluded due to being already injected with istio-init container')
  if (goBool(own(proxyEnv, 'DISABLE_ENVOY')) === true) return skip('excluded due to DISABLE_ENVOY on istio-proxy')
  if (!containers.has('istio-proxy')) {
    return skip(`excluded because it does not have istio-proxy container (have [${nameList(containers)}])`)
  }
  // Treats an empty proxy type as absent, as Istio does.
  if (proxyType !== undefined && proxyType !== '' && proxyType !== 'sidecar') {
    return skip(`excluded ${podRef(pod)} pod because it has proxy type ${quote(proxyType)}`)
  }
  // Prefers the pod's injection label to the injection annotation, even if the label is empty.
  const inject = own(pod.labels, injectKey) ?? own(annotations, injectKey)
  if (goBool(inject) === false) return skip('excluded due to inject-disabled annotation')
  if (!Object.hasOwn(annotations, statusAnnotation)) return skip('excluded due to not containing sidecar annotation')
  if (capturesNothing(pod)) return skip('excluded due to interceptionMode NONE')
  return undefined
}

/** Lists at most {@link MAX_NAMES} of a pod's container names for a log line, and counts the other names. */
function nameList(containers: ReadonlySet<string>): string {
  const names = [...containers].sort()
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : ''
  return `${names.slice(0, MAX_NAMES).join(' ')}${more}`
}

const MAX_NAMES = 20

const own = (record: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined
