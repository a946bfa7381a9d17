import { type PodInfo, podName } from './pod-info.ts'
import { parseFrom } from './redirect-error.ts'
import { interceptionMode, interfaces, ipRanges, ipRangesOrAll, ports, portsOrAll } from './validators.ts'

/** One annotation: its key, the text that stands in when it is absent, and the parser of both. */
export interface Annotation<T> {
  readonly key: string
  readonly fallback: string
  readonly parse: (value: string) => T
}

/** The annotations that shape a redirection, in the order in which they are checked. */
export const annotations = {
  interceptionMode: annotation('sidecar.istio.io/interceptionMode', 'REDIRECT', interceptionMode),
  includeOutboundIPRanges: annotation('traffic.sidecar.istio.io/includeOutboundIPRanges', '*', ipRangesOrAll),
  excludeOutboundIPRanges: annotation('traffic.sidecar.istio.io/excludeOutboundIPRanges', '', ipRanges),
  excludeInboundPorts: annotation('traffic.sidecar.istio.io/excludeInboundPorts', '15020', ports),
  includeInboundPorts: annotation('traffic.sidecar.istio.io/includeInboundPorts', '*', portsOrAll),
  // yes, outbound too: the telemetry port of another pod is reached without the proxy
  excludeOutboundPorts: annotation('traffic.sidecar.istio.io/excludeOutboundPorts', '15020', ports),
  includeOutboundPorts: annotation('traffic.sidecar.istio.io/includeOutboundPorts', '', ports),
  excludeInterfaces: annotation('traffic.sidecar.istio.io/excludeInterfaces', '', interfaces),
  rerouteVirtualInterfaces: annotation('istio.io/reroute-virtual-interfaces', '', interfaces),
  /** Deprecated name of the one above. */
  kubevirtInterfaces: annotation('traffic.sidecar.istio.io/kubevirtInterfaces', '', interfaces),
}

function annotation<T>(key: string, fallback: string, parse: (value: string) => T): Annotation<T> {
  return { key, fallback, parse }
}

/** Whether the pod has the annotation; an empty one counts and overrides the default. */
export function hasAnnotation(pod: PodInfo, { key }: Annotation<unknown>): boolean {
  return Object.hasOwn(pod.annotations, key)
}

/** The parsed value of an annotation, or of its default; a value that does not parse is a {@link RedirectError}. */
export function readAnnotation<T>(pod: PodInfo, { key, fallback, parse }: Annotation<T>): T {
  const value = Object.hasOwn(pod.annotations, key) ? (pod.annotations[key] ?? '') : fallback
  return parseFrom({ kind: 'annotation', key, value, owner: podName(pod) }, parse)
}
