/** Names of processes that contain the kubelet: the kubelet itself, MicroK8s and k3s. */
export const KUBELET_NAMES: ReadonlySet<string> = new Set(['kubelet', 'kubelite', 'k3s', 'k3s-server', 'k3s-agent'])

/** True for k3s processes, which contain the kubelet without the word kubelet in their arguments. */
export const isSilentKubelet = (name: string): boolean => name.startsWith('k3s')
