import { readAmbientPod } from '@cni/istio-rules'
import type { Observer } from '@cni/kube'
import { readZtunnelPod, type ZtunnelPod } from './election.ts'

/** The ztunnels of a node, as the watch of its pods tells of them. */
export interface NodeZtunnels {
  readonly observer: Observer
  /** Nothing before the first list was told to its end. */
  all(): readonly ZtunnelPod[]
  /** Whether the first list was told to its end. */
  isListed(): boolean
}

/** How {@link nodeZtunnels} tells them apart, and whom it tells. */
export interface NodeZtunnelsOptions {
  readonly systemNamespace: string
  /** There may be another one to elect. */
  readonly changed: () => void
}

/** None is known yet. */
export function nodeZtunnels({ systemNamespace, changed }: NodeZtunnelsOptions): NodeZtunnels {
  const pods = new Map<string, ZtunnelPod>()
  let listing: Set<string> | undefined
  let isListed = false
  const tell = (): void => {
    if (isListed && listing === undefined) changed()
  }
  return {
    all: () => (isListed ? [...pods.values()] : []),
    isListed: () => isListed,
    observer: {
      listing() {
        listing = new Set()
      },
      present(document) {
        const pod = readZtunnelPod(document, { systemNamespace })
        if (pod === undefined) return
        listing?.add(pod.uid)
        pods.set(pod.uid, pod)
        tell()
      },
      listed() {
        // Who is not in the list has gone while nobody watched.
        for (const uid of [...pods.keys()]) if (listing?.has(uid) === false) pods.delete(uid)
        listing = undefined
        isListed = true
        tell()
      },
      gone(document) {
        const uid = readAmbientPod(document)?.uid
        if (uid !== undefined && pods.delete(uid)) tell()
      },
      failed() {},
    },
  }
}
