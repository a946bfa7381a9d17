import { type KubeClient, kubeClient, listWatch, serviceAccountAccess } from '@cni/kube'
import { messageOf, printable } from '@cni/types'
import { throttledLog } from '../log/throttled-log.ts'
import type { ScopedLog } from '../shared/deps.ts'
import type { RequestReports } from '../shared/server-reach.ts'
import type { PodStore } from './pods/pod-store.ts'
import type { RunAmbientOptions } from './run-options.ts'

/** Options of {@link clusterWatches}, which watches pods and namespaces through the API server. */
export interface ClusterWatchesOptions extends Pick<RunAmbientOptions, 'api' | 'watches' | 'reach' | 'log' | 'signal'> {
  readonly seen: Pick<PodStore, 'pods' | 'namespaces'>
  /** Name of the Kubernetes node whose pods are watched. */
  readonly nodeName: string
}

/** Watches the node's pods and the cluster's namespaces. Returns one promise for each of the two watches. */
export function clusterWatches(options: ClusterWatchesOptions): Promise<void>[] {
  const { seen, nodeName, api, watches, reach, log, signal } = options
  const connect = (): KubeClient => kubeClient(serviceAccountAccess(api), { userAgent: 'install-cni' })
  return [
    watches.follow({ api, nodeName }, loggingObserver(seen.pods, 'the pods of this node', log), signal),
    listWatch({
      connect,
      path: '/api/v1/namespaces',
      paged: false,
      observer: loggingObserver(seen.namespaces, 'the namespaces', log, reach?.of('namespaces')),
      signal,
    }),
  ]
}

// internal

function loggingObserver(
  observer: PodStore['pods'],
  what: string,
  log: ScopedLog,
  reports?: RequestReports,
): PodStore['pods'] {
  const throttled = throttledLog(log, `${what} are watched again`)
  return {
    ...observer,
    listed() {
      observer.listed()
      throttled.worked()
      reports?.answered()
    },
    alive() {
      observer.alive?.()
      reports?.answered()
    },
    failed(error, pauseMs) {
      observer.failed(error, pauseMs)
      throttled.failed(`ambient mode: cannot watch ${what}: ${printable(messageOf(error))}; retrying`)
      reports?.failed(error)
    },
  }
}
