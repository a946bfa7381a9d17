import type { ServeAnswer } from '../../serve/answer.ts'
import type { PodSource } from '../pods/find-pod.ts'
import type { MetricsRegistry } from './metrics.ts'

/** Metrics of the plugin's calls that the agent answers. */
export interface ServingMetrics {
  answered(answer: ServeAnswer, ms: number): void
  found(source: PodSource): void
  watching(isLive: boolean): void
}

/** Upper bounds in seconds for the histogram of answer durations. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 3]

/** Creates the metrics of the plugin's calls in a metrics registry. */
export function servingMetrics(metrics: MetricsRegistry): ServingMetrics {
  const served = metrics.counter(
    'istio_cni_served_calls_total',
    'Calls of the plugin that the agent answered with a decision',
    ['answer'],
  )
  const refused = metrics.counter(
    'istio_cni_refused_calls_total',
    'Calls that the agent refused, so that the plugin decided itself',
    ['reason'],
  )
  const pods = metrics.counter('istio_cni_served_pods_total', 'Pods looked up for served calls, by source', ['source'])
  const watched = metrics.gauge('istio_cni_pods_watched', 'Whether the watch of the pods of this node is live: 1 or 0')
  const duration = metrics.histogram(
    'istio_cni_serve_duration_seconds',
    'Time from the request of a call to its answer, in seconds',
    BUCKETS,
  )
  return {
    answered(answer, ms) {
      if (answer.act === 'refused') refused.inc({ reason: answer.reason })
      else served.inc({ answer: answer.act })
      duration.observe(ms / 1000)
    },
    found: (source) => pods.inc({ source }),
    watching: (isLive) => watched.set(isLive ? 1 : 0),
  }
}
