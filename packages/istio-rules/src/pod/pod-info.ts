import type { Pod } from './pod.ts'

/** What the decision ladder and {@link redirectFor} know about a pod. */
export interface PodInfo {
  readonly namespace: string
  readonly name: string
  /** Names of all containers, init containers first: a native sidecar is an init container. */
  readonly containers: ReadonlySet<string>
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  /** Literal environment of `istio-proxy`; an entry that uses `valueFrom` reads as "". */
  readonly proxyEnv: Readonly<Record<string, string>>
  /** `args[1]` of `istio-proxy` when `args[0]` is `proxy`: `sidecar`, `router`, … */
  readonly proxyType?: string
  readonly proxyUID?: number
  readonly proxyGID?: number
  readonly hostNetwork: boolean
}

/** Name of the proxy's container, whether it is an init or a regular one. */
export const PROXY_CONTAINER = 'istio-proxy'

/** Extract from a pod what redirection depends on; the pod-level securityContext is not consulted, as in Istio. */
export function podInfo(pod: Pod): PodInfo {
  const containers = [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])]
  const proxies = containers.filter((container) => container.name === PROXY_CONTAINER)
  const type = lastDefined(proxies.map((proxy) => (proxy.args?.[0] === 'proxy' ? proxy.args[1] : undefined)))
  // of two such containers the last one with a securityContext says both, also by saying nothing: Istio does so
  const { runAsUser: uid, runAsGroup: gid } = lastDefined(proxies.map((proxy) => proxy.securityContext)) ?? {}
  return {
    namespace: pod.metadata.namespace,
    name: pod.metadata.name,
    containers: new Set(containers.map((container) => container.name)),
    labels: pod.metadata.labels ?? {},
    annotations: pod.metadata.annotations ?? {},
    // fromEntries defines own properties, so a variable named __proto__ stays a variable
    proxyEnv: Object.fromEntries(
      proxies.flatMap((proxy) => (proxy.env ?? []).map((entry) => [entry.name, entry.value ?? ''])),
    ),
    ...(type !== undefined && { proxyType: type }),
    ...(uid !== undefined && { proxyUID: uid }),
    ...(gid !== undefined && { proxyGID: gid }),
    hostNetwork: pod.spec.hostNetwork ?? false,
  }
}

/** How messages name a pod. */
export function podName(pod: PodInfo): string {
  return `pod ${pod.namespace}/${pod.name}`
}

function lastDefined<T>(values: readonly (T | undefined)[]): T | undefined {
  return values.findLast((value) => value !== undefined)
}
