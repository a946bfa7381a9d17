/** Names of processes that contain the kubelet: the kubelet itself, MicroK8s and k3s. */
export const KUBELET_NAMES: ReadonlySet<string> = new Set(['kubelet', 'kubelite', 'k3s', 'k3s-server', 'k3s-agent'])

/** True for the names of k3s processes. A k3s process contains the kubelet, but its arguments lack the word kubelet. */
export const isSilentKubelet = (name: string): boolean => name.startsWith('k3s')
