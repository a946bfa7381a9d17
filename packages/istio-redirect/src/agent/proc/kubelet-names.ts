/** Process names of the kubelet: its own name, and the names in MicroK8s and k3s. */
export const KUBELET_NAMES: ReadonlySet<string> = new Set(['kubelet', 'kubelite', 'k3s', 'k3s-server', 'k3s-agent'])

/** True if the arguments of a process with this name do not contain the word kubelet. */
export const isSilentKubelet = (name: string): boolean => name.startsWith('k3s')
