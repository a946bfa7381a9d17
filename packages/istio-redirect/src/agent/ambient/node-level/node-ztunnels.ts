import { readZtunnelPod, type ZtunnelPod } from '@cni/istio-node-level'
import { type Observer, watchStore } from '@cni/kube'

/** Current ztunnel pods of a node, updated by a watch of the node's pods. */
export interface NodeZtunnels {
  readonly observer: Observer
  /** Lists the node's known ztunnel pods. Empty until the API server has listed all pods once. */
  all(): readonly ZtunnelPod[]
  /** True if the API server has listed all pods of the node once. */
  isListed(): boolean
}

/** Options of {@link nodeZtunnels}, the collection of a node's ztunnel pods. */
export interface NodeZtunnelsOptions {
  readonly systemNamespace: string
  /** Called after changes of ztunnel pods that may affect the election of the serving ztunnel. */
  readonly changed: () => void
}

/** Creates the collection of a node's ztunnel pods, initially empty. */
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
