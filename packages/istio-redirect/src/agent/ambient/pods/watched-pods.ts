import { namespaceMatters, namespaceWarning } from '@cni/istio-rules'
import { printable } from '@cni/types'
import type { AmbientConfig } from '../../config/ambient-config.ts'
import { throttledLog } from '../../log/throttled-log.ts'
import type { ScopedLog } from '../../shared/deps.ts'
import { type PodStore, podStore } from './pod-store.ts'

/** Options of {@link watchedPods}, which fills a store of the node's pods. */
export interface WatchedPodsOptions {
  readonly config: AmbientConfig
  readonly log: ScopedLog
  /** Queues a pod. The agent then decides again if the pod belongs to the mesh. */
  readonly enqueue: (uid: string) => void
}

/** Creates a {@link podStore} of the node, and queues pods when their namespace's labels change. */
export function watchedPods({ config, log, enqueue }: WatchedPodsOptions): PodStore {
  const malformed = throttledLog(log, '')
  const seen = podStore({
    changed: enqueue,
    relabelled(name, before, after) {
      const warning = namespaceWarning(name, after, config)
      if (warning !== undefined) log.warn(printable(warning))
      if (!namespaceMatters(before, after, config)) return
      for (const { namespace, uid } of seen.all()) if (namespace === name) enqueue(uid)
    },
    malformed: () => malformed.failed('ignored an object from the API server that is not a pod or namespace'),
  })
  return seen
}
