/** Process names of the kubelet: its own name, and the names in MicroK8s and k3s. */
export const KUBELET_NAMES: ReadonlySet<string> = new Set(['kubelet', 'kubelite', 'k3s', 'k3s-server', 'k3s-agent'])

/** True if a kubelet process with this name does not have the word kubelet in its arguments. */
export const isSilentKubelet = (name: string): boolean => name.startsWith('k3s')
