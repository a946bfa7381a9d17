/**
 * A slim Kubernetes client: get, list and watch, tokens and kubeconfig, over the transport of the runtime it runs on.
 *
 * @example
 * ```ts
 * import { kubeClient, loadKubeconfig } from '@cni/kube'
 *
 * const client = kubeClient(await loadKubeconfig('/etc/cni/net.d/example-kubeconfig'))
 * export const pod = await client.get('/api/v1/namespaces/demo/pods/web', { signal: AbortSignal.timeout(5000) })
 * ```
 *
 * @module
 */

export type { AskOptions } from './client/ask.ts'
export { type KubeClient, type KubeRequest, kubeClient } from './client/client.ts'
export { type EventRecorder, eventRecorder } from './client/event-recorder.ts'
export { namespaceLabels } from './client/get-namespace.ts'
export { getPod, podPath } from './client/get-pod.ts'
export { keptClients } from './client/kept-clients.ts'
export { type Pod, parsePod } from './client/parse-pod.ts'
export { type RequestedToken, requestToken } from './client/request-token.ts'
export type { Attempts } from './client/retry.ts'
export { loadKubeconfig } from './config/kubeconfig.ts'
export { type ServiceAccount, serviceAccountAccess } from './config/service-account.ts'
export { postOverUnix, type UnixAnswer } from './http/unix-post.ts'
export { isKubeError, KubeError } from './kube-error.ts'
export { type ListWatchOptions, listWatch, type Observer } from './watch/list-watch.ts'
export { type WatchStore, watchStore } from './watch/watch-store.ts'
