import type { Gauge, Metrics } from '../part/services.ts'

/** What changes a pod's place in the mesh, as the original counts it. */
export type ReconcileEvent = 'add' | 'update' | 'delete'

/** What somebody else broke, and was put right. */
export type HealedPart = 'host_rules' | 'host_sets' | 'pod'

/** What is counted of ambient mode. */
export interface AmbientMetrics {
  /** One look at a pod or a namespace, retries included. */
  reconciled(event: ReconcileEvent): void
  /**
   * How many pods are in the mesh, and how many should be and are not yet; and how many of those that are said to be in have their
   * processes in a namespace that is not captured.
   */
  pods(enrolled: number, pending: number, notCaptured: number): void
  /** How many connections of ztunnels there are. Nothing is told of them before the first. */
  ztunnels(connected: number): void
  healed(part: HealedPart): void
  /** What could not be put right. */
  healFailed(part: HealedPart): void
}

/** Metrics of ambient mode, in a registry: those of the original by its names, and ours. */
export function ambientMetrics(metrics: Metrics): AmbientMetrics {
  const events = metrics.counter(
    'nodeagent_reconcile_events_total',
    'The total number of node agent reconcile events.',
    ['type'],
  )
  const enrolledPods = metrics.gauge('istio_cni_ambient_pods_enrolled', 'Pods that ztunnel has, with their rules')
  const pendingPods = metrics.gauge('istio_cni_ambient_pods_pending', 'Pods that are to be enrolled and are not yet')
  const lostPods = metrics.gauge(
    'istio_cni_ambient_pods_not_captured',
    'Pods that are enrolled, while nothing on the node shows that they are in the namespace that was enrolled',
  )
  const heals = metrics.counter(
    'istio_cni_ambient_heals_total',
    'How often rules or sets that somebody else changed were put right',
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
