/**
 * A slim Kubernetes client: get, list and watch, tokens and kubeconfig. Uses the HTTP transport of the JavaScript
 * runtime.
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
export { type KubeClient, type KubeClientOptions, type KubeRequest, kubeClient } from './client/client.ts'
export { eventRecorder } from './client/event-recorder.ts'
export { namespaceLabels } from './client/get-namespace.ts'
export { getPod, podPath } from './client/get-pod.ts'
export { keptClients } from './client/kept-clients.ts'
export { type Pod, parsePod } from './client/parse-pod.ts'
export { requestToken } from './client/request-token.ts'
export { tokenFile } from './client/token-file.ts'
export { type ClusterAccess, loadKubeconfig } from './config/kubeconfig.ts'
export { type ServiceAccount, serviceAccountAccess } from './config/service-account.ts'
export { isKubeError, KubeError } from './kube-error.ts'
export { workQueue } from './queue/work-queue.ts'
export { listWatch } from './watch/list-watch.ts'
export type { ListWatchOptions, Observer } from './watch/list-watch-options.ts'
export { type WatchStore, watchStore } from './watch/watch-store.ts'
