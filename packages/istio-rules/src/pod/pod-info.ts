import type { Pod } from './pod.ts'

/**
 * Facts about a pod that decide if the pod is redirected. {@link redirectFor} also reads the redirection settings from
 * these facts.
 */
export interface PodInfo {
  readonly namespace: string
  readonly name: string
  /** Names of all containers of the pod, init containers first. A native sidecar is an init container. */
  readonly containers: ReadonlySet<string>
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
  /** Environment variables of the container `istio-proxy`. A variable with `valueFrom` has the value `''`. */
  readonly proxyEnv: Readonly<Record<string, string>>
  /** Type of the proxy (`sidecar`, `router`, …): `args[1]` of the container `istio-proxy` if `args[0]` is `proxy`. */
  readonly proxyType?: string
  readonly proxyUID?: number
  readonly proxyGID?: number
  readonly hostNetwork: boolean
}

/** Name of the proxy's container. The container may be an init container. */
export const PROXY_CONTAINER = 'istio-proxy'

/** Extracts the facts about a pod that redirection depends on. Ignores the pod's own securityContext, as Istio does. */
export function podInfo(pod: Pod): PodInfo {
  const containers = [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])]
  const proxies = containers.filter((container) => container.name === PROXY_CONTAINER)
  const type = lastDefined(proxies.map((proxy) => (proxy.args?.[0] === 'proxy' ? proxy.args[1] : undefined)))
  // Uses the last container with the proxy's name, as Istio does.
  const { runAsUser: uid, runAsGroup: gid } = lastDefined(proxies.map((proxy) => proxy.securityContext)) ?? {}
  return {
    namespace: pod.metadata.namespace,
    name: pod.metadata.name,
    containers: new Set(containers.map((container) => container.name)),
    labels: pod.metadata.labels ?? {},
    annotations: pod.metadata.annotations ?? {},
    // The proxy's environment variables may have any name. `fromEntries` makes even `__proto__` an ordinary member.
    proxyEnv: Object.fromEntries(
      proxies.flatMap((proxy) => (proxy.env ?? []).map((entry) => [entry.name, entry.value ?? ''])),
    ),
    ...(type !== undefined && { proxyType: type }),
    ...(uid !== undefined && { proxyUID: uid }),
    ...(gid !== undefined && { proxyGID: gid }),
    hostNetwork: pod.spec.hostNetwork ?? false,
  }
}

function lastDefined<T>(values: readonly (T | undefined)[]): T | undefined {
  return values.findLast((value) => value !== undefined)
}
