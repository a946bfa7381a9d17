import type { pluginInRuntime } from '@cni/installer'
import type { Gauge, Metrics } from '../shared/deps.ts'

/** State of the plugin as the container runtime reports it. */
type RuntimeState = Awaited<ReturnType<typeof pluginInRuntime>>['state']

const STATES: readonly (RuntimeState | 'unasked')[] = ['loaded', 'missing', 'silent', 'unasked']

/**
 * Creates the metric with the plugin's state in the container runtime. The gauge is 1 for the current state and 0 for
 * the other states. Returns the function that sets the state. `undefined` means that the agent no longer queries the
 * container runtime. The first call creates the gauge.
 */
export function runtimeMetric(metrics: Metrics): (state: RuntimeState | 'unasked' | undefined) => void {
  let gauge: Gauge | undefined
  return (state) => {
    if (gauge === undefined && state === undefined) return
    gauge ??= metrics.gauge(
      'istio_cni_runtime_plugin',
      'State of the plugin in the container runtime: 1 for the current state, else 0',
      ['state'],
    )
    for (const each of STATES) gauge.set(each === state ? 1 : 0, { state: each })
  }
}
