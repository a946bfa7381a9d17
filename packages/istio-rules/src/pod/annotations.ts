import { podRef } from './pod-identity.ts'
import type { PodInfo } from './pod-info.ts'
import { parseFrom } from './redirect-error.ts'
import { interceptionMode, interfaces, ipRanges, ipRangesOrAll, ports, portsOrAll } from './validators.ts'

/** Annotation of a pod: key, default text, and the function that parses the value or the default. */
export interface Annotation<T> {
  readonly key: string
  readonly fallback: string
  readonly parse: (value: string) => T
}

/** Annotations that configure the redirection of a pod, in the order in which the plugin validates the annotations. */
export const annotations = {
  interceptionMode: annotation('sidecar.istio.io/interceptionMode', 'REDIRECT', interceptionMode),
  includeOutboundIPRanges: annotation('traffic.sidecar.istio.io/includeOutboundIPRanges', '*', ipRangesOrAll),
  excludeOutboundIPRanges: annotation('traffic.sidecar.istio.io/excludeOutboundIPRanges', '', ipRanges),
  excludeInboundPorts: annotation('traffic.sidecar.istio.io/excludeInboundPorts', '15020', ports),
  includeInboundPorts: annotation('traffic.sidecar.istio.io/includeInboundPorts', '*', portsOrAll),
  // Excludes port 15020 by default: requests to the telemetry port of other pods bypass the proxy.
  excludeOutboundPorts: annotation('traffic.sidecar.istio.io/excludeOutboundPorts', '15020', ports),
  includeOutboundPorts: annotation('traffic.sidecar.istio.io/includeOutboundPorts', '', ports),
  excludeInterfaces: annotation('traffic.sidecar.istio.io/excludeInterfaces', '', interfaces),
  rerouteVirtualInterfaces: annotation('istio.io/reroute-virtual-interfaces', '', interfaces),
  /** Deprecated name of the annotation `istio.io/reroute-virtual-interfaces`. */
  kubevirtInterfaces: annotation('traffic.sidecar.istio.io/kubevirtInterfaces', '', interfaces),
}

function annotation<T>(key: string, fallback: string, parse: (value: string) => T): Annotation<T> {
  return { key, fallback, parse }
}

/** True if the pod has the annotation. An annotation with an empty value counts, and overrides the default. */
export function hasAnnotation(pod: PodInfo, { key }: Annotation<unknown>): boolean {
  return Object.hasOwn(pod.annotations, key)
}

/** Returns the parsed annotation or default. Throws a {@link RedirectError} for an invalid value. */
export function readAnnotation<T>(pod: PodInfo, { key, fallback, parse }: Annotation<T>): T {
  const value = Object.hasOwn(pod.annotations, key) ? (pod.annotations[key] ?? '') : fallback
  return parseFrom({ kind: 'annotation', key, value, owner: `pod ${podRef(pod)}` }, parse)
}
