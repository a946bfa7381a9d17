import { readZtunnelPod, type ZtunnelPod } from '@cni/istio-node-level'
import { type Observer, watchStore } from '@cni/kube'

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
  const store = watchStore<ZtunnelPod>({
    keep: (document) => readZtunnelPod(document, { systemNamespace }) ?? null,
    changed() {
      if (!store.isListing()) changed()
    },
    listed: changed,
  })
  return {
    observer: store,
    all: () => (store.isListed() ? [...store.values()] : []),
    isListed: store.isListed,
  }
}
