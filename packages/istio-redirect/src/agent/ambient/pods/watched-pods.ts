import { namespaceMatters, namespaceWarning } from '@cni/istio-rules'
import { printable } from '@cni/types'
import type { AmbientConfig } from '../../config/ambient-config.ts'
import { calmLog } from '../../log/calm-log.ts'
import type { ScopedLog } from '../../part/services.ts'
import { type PodStore, podStore } from './pod-store.ts'

/** What {@link watchedPods} works with. */
export interface WatchedPodsOptions {
  readonly config: AmbientConfig
  readonly log: ScopedLog
  /** Whether this pod is in the mesh has to be decided anew. */
  readonly look: (uid: string) => void
}

/**
 * {@link podStore} for one of the modes: where the labels of a namespace change what is decided, all its pods are looked
 * at. What asks for the impossible, or is no object of Kubernetes, is in the log.
 */
export function watchedPods({ config, log, look }: WatchedPodsOptions): PodStore {
  const malformed = calmLog(log, '')
  const seen = podStore({
    changed: look,
    relabelled(name, before, after) {
      const warning = namespaceWarning(name, after, config)
      if (warning !== undefined) log.warn(printable(warning))
      if (!namespaceMatters(before, after, config)) return
      for (const { namespace, uid } of seen.all()) if (namespace === name) look(uid)
    },
    malformed: () => malformed.failed('the API server sent something that is no pod or namespace: it is ignored'),
  })
  return seen
}
