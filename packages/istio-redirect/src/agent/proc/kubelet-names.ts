/** Names of the processes that a node's kubelet runs in: its own, MicroK8s', and those of k3s. */
export const KUBELET_NAMES: ReadonlySet<string> = new Set(['kubelet', 'kubelite', 'k3s', 'k3s-server', 'k3s-agent'])

/** True if the arguments of a process with this name do not contain the word kubelet. */
export const isSilentKubelet = (name: string): boolean => name.startsWith('k3s')
