import { mode } from '../../../istio-rules/test/ambient-pods.ts'

/** Pod for which a test calls the plugin as a container runtime does. */
export interface CalledPod {
  readonly netns: string
  readonly container: string
  readonly namespace: string
  readonly name: string
  /** Additional `KEY=value` items at the end of `CNI_ARGS`. */
  readonly more?: readonly string[]
}

/** Builds the items of `CNI_ARGS` with which a container runtime names a pod. */
export const cniArgs = (namespace: string, name: string) =>
  [
    ['IgnoreUnknown', '1'],
    ['K8S_POD_NAMESPACE', namespace],
    ['K8S_POD_NAME', name],
  ] as const

/** Builds the environment variables of a container runtime's plugin call for a pod's interface eth0. */
export const cniEnv = (command: string, { netns, container, namespace, name, more = [] }: CalledPod) => ({
  CNI_COMMAND: command,
  CNI_CONTAINERID: container,
  CNI_NETNS: netns,
  CNI_IFNAME: 'eth0',
  CNI_PATH: '/opt/cni/bin',
  CNI_ARGS: [...cniArgs(namespace, name).map((item) => item.join('=')), ...more].join(';'),
})

/** Configuration of the plugin in ambient mode. Pods of ambient Kubernetes namespaces are in the mesh. */
export const ambientConf = {
  ambient_enabled: true,
  enablement_selectors: [{ podSelector: {}, namespaceSelector: { matchLabels: { [mode]: 'ambient' } } }],
}
