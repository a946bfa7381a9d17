import type { pluginInRuntime } from '@cni/installer'
import type { Gauge, Metrics } from '../part/services.ts'

/** State of the plugin in the container runtime. */
type RuntimeState = Awaited<ReturnType<typeof pluginInRuntime>>['state']

const STATES: readonly (RuntimeState | 'unasked')[] = ['loaded', 'missing', 'silent', 'unasked']

/** The state of the plugin in the container runtime, as a gauge of each state. */
export interface RuntimeMetrics {
  /** `undefined`: the runtime is not asked any more. There is no gauge before the first state. */
  set(state: RuntimeState | 'unasked' | undefined): void
}

/** Metrics of what a container runtime says. */
export function runtimeMetrics(metrics: Metrics): RuntimeMetrics {
  let gauge: Gauge | undefined
  return {
    set(state) {
      if (gauge === undefined && state === undefined) return
      gauge ??= metrics.gauge(
        'istio_cni_runtime_plugin',
        'What the container runtime says of the plugin: 1 for the state in which it is',
        ['state'],
      )
      for (const each of STATES) gauge.set(each === state ? 1 : 0, { state: each })
    },
  }
}
