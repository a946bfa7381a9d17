import type { StoredContainer, StoredPod } from '@cni/kube/testing'

/** Members in which a test pod may differ from the default pod. */
export interface PodOptions {
  readonly name?: string
  readonly namespace?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  /** Additional members of the `istio-proxy` container, such as `env` or `securityContext`. */
  readonly proxy?: Omit<StoredContainer, 'name'>
  readonly initContainers?: readonly StoredContainer[]
  readonly hostNetwork?: boolean
}

/**
 * Creates a pod with the members that Istio's injector adds for the CNI plugin. The pod has an application, the proxy,
 * the `istio-validation` init container and `sidecar.istio.io/status`.
 */
export function meshPod(options: PodOptions = {}): StoredPod {
  const { proxy = { securityContext: { runAsUser: 1337, runAsGroup: 1337 } } } = options
  return pod(
    { ...options, annotations: { 'sidecar.istio.io/status': '{"version":"test"}', ...options.annotations } },
    [
      { name: 'app', image: 'app' },
      {
        name: 'istio-proxy',
        image: 'proxyv2',
        args: ['proxy', 'sidecar', '--log_output_level=default:info'],
        ...proxy,
      },
    ],
    options.initContainers ?? [{ name: 'istio-validation', image: 'proxyv2' }],
  )
}

/** Creates a test pod with one application container, without label or annotation of a mesh. */
export function plainPod(options: PodOptions = {}): StoredPod {
  return pod(options, [{ name: 'app', image: 'app' }], options.initContainers ?? [])
}

function pod(
  options: PodOptions,
  containers: readonly StoredContainer[],
  initContainers: readonly StoredContainer[],
): StoredPod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: options.name ?? 'web',
      namespace: options.namespace ?? 'demo',
      ...(options.labels && { labels: options.labels }),
      ...(options.annotations && { annotations: options.annotations }),
    },
    spec: {
      containers,
      ...(initContainers.length > 0 && { initContainers }),
      ...(options.hostNetwork !== undefined && { hostNetwork: options.hostNetwork }),
    },
  }
}
