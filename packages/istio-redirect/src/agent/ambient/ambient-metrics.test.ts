import { expect, test } from 'vitest'
import { metricsRegistry } from '../serve/metrics.ts'
import { ambientMetrics } from './ambient-metrics.ts'

const about = async (registry: ReturnType<typeof metricsRegistry>, name: string): Promise<string[]> =>
  (await registry.text()).split('\n').filter((line) => line.includes(name))

test('metrics of Istio have its names, help texts and labels', async () => {
  const registry = metricsRegistry()
  const metrics = ambientMetrics(registry)
  metrics.ztunnels(0)
  expect(await about(registry, 'ztunnel_connected')).toEqual([]) // absent before the first connection
  metrics.ztunnels(1)
  metrics.ztunnels(0)
  for (const event of ['add', 'update', 'update', 'delete'] as const) metrics.reconciled(event)
  expect(await about(registry, 'ztunnel_connected')).toEqual([
    '# HELP ztunnel_connected number of connections to ztunnel',
    '# TYPE ztunnel_connected gauge',
    'ztunnel_connected 0',
  ])
  expect(await about(registry, 'nodeagent_reconcile')).toEqual([
    '# HELP nodeagent_reconcile_events_total The total number of node agent reconcile events.',
    '# TYPE nodeagent_reconcile_events_total counter',
    'nodeagent_reconcile_events_total{type="add"} 1',
    'nodeagent_reconcile_events_total{type="update"} 2',
    'nodeagent_reconcile_events_total{type="delete"} 1',
  ])
})

test('pods and heals are counted, also after a restart of the part', async () => {
  const registry = metricsRegistry()
  ambientMetrics(registry).pods(3, 1, 2)
  ambientMetrics(registry).healed('host_sets')
  const metrics = ambientMetrics(registry)
  metrics.healed('host_sets')
  metrics.healFailed('host_rules')
  expect((await about(registry, 'istio_cni_ambient')).filter((line) => !line.startsWith('#'))).toEqual([
    'istio_cni_ambient_pods_enrolled 3',
    'istio_cni_ambient_pods_pending 1',
    'istio_cni_ambient_pods_not_captured 2',
    'istio_cni_ambient_heals_total{part="host_sets",result="success"} 2',
    'istio_cni_ambient_heals_total{part="host_rules",result="fail"} 1',
  ])
})
