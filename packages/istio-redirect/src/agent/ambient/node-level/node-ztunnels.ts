import { readZtunnelPod, type ZtunnelPod } from '@cni/istio-node-level'
import { type Observer, watchStore } from '@cni/kube'

/** Ztunnels of a node, filled by the watch of its pods. */
export interface NodeZtunnels {
  readonly observer: Observer
  /** Known ztunnels. Empty before the first list is complete. */
  all(): readonly ZtunnelPod[]
  /** True if the first list is complete. */
  isListed(): boolean
}

/** Options of {@link nodeZtunnels}. */
export interface NodeZtunnelsOptions {
  readonly systemNamespace: string
  /** Called after changes that may affect the election. */
  readonly changed: () => void
}

/** Creates an empty collection of ztunnels. */
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
