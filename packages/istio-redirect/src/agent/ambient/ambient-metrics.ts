import type { Gauge, Metrics } from '../shared/deps.ts'

/** Type of a pod's reconciliation. Istio's metric uses the same names. */
export type ReconcileEvent = 'add' | 'update' | 'delete'

/** Objects that the agent repaired: the node's rules, the node's address sets, or a pod's rules. */
export type HealedObject = 'host_rules' | 'host_sets' | 'pod'

/** Methods that update the metrics of ambient mode. */
export interface AmbientMetrics {
  /** Counts one attempt to reconcile a pod with the mesh. A retry counts as a further attempt. */
  reconciled(event: ReconcileEvent): void
  /** Sets the numbers of enrolled pods, pending pods, and enrolled pods whose traffic is not captured. */
  pods(enrolled: number, pending: number, notCaptured: number): void
  /** Sets the number of connected ztunnels. The gauge is absent until the first ztunnel has connected. */
  ztunnels(connected: number): void
  healed(part: HealedObject): void
  /** Counts a failed attempt to restore rules or sets that another process changed. */
  healFailed(part: HealedObject): void
}

/** Creates the metrics of ambient mode. Metrics that Istio also has get Istio's names. */
export function ambientMetrics(metrics: Metrics): AmbientMetrics {
  const events = metrics.counter(
    'nodeagent_reconcile_events_total',
    'The total number of node agent reconcile events.',
    ['type'],
  )
  const enrolledPods = metrics.gauge(
    'istio_cni_ambient_pods_enrolled',
    'Pods with installed rules that ztunnel has acknowledged',
  )
  const pendingPods = metrics.gauge(
    'istio_cni_ambient_pods_pending',
    'Pods that belong to the mesh and are not enrolled yet',
  )
  const lostPods = metrics.gauge(
    'istio_cni_ambient_pods_not_captured',
    'Enrolled pods without a process or mount in their enrolled namespace',
  )
  const heals = metrics.counter(
    'istio_cni_ambient_heals_total',
    'Repairs of rules or sets that another process changed, by part and result',
    ['part', 'result'],
  )
  let connections: Gauge | undefined
  return {
    reconciled: (type) => events.inc({ type }),
    pods(enrolled, pending, notCaptured) {
      enrolledPods.set(enrolled)
      pendingPods.set(pending)
      lostPods.set(notCaptured)
    },
    ztunnels(connected) {
      if (connections === undefined && connected === 0) return
      connections ??= metrics.gauge('ztunnel_connected', 'number of connections to ztunnel')
      connections.set(connected)
    },
    healed: (part) => heals.inc({ part, result: 'success' }),
    healFailed: (part) => heals.inc({ part, result: 'fail' }),
  }
}
