import { expect, test } from 'vitest'
import { metricsRegistry } from '../../serve/metrics.ts'
import { ambientMetrics } from '../ambient-metrics.ts'
import { reconcileObserver } from './reconcile-observer.ts'

test('heals are logged with the changes, failures once, and both are counted', async () => {
  const lines: string[] = []
  const write = (level: string) => (msg: string, labels?: object) => {
    lines.push(`${level} ${msg} ${JSON.stringify(labels ?? {})}`)
  }
  const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
  const registry = metricsRegistry()
  const observe = reconcileObserver(log, ambientMetrics(registry))
  const error = new Error('no such device')
  observe({ type: 'failed', objects: 'host_sets', error })
  observe({ type: 'failed', objects: 'host_sets', error })
  observe({ type: 'healed', objects: 'host_sets', drift: ['a', 'b', 'c', 'd', 'e', 'f'] })
  observe({ type: 'healed', objects: 'host_rules', drift: ['missing jump'] })
  observe({ type: 'contested', objects: 'host_rules', pauseMs: 2000 })
  expect(lines).toEqual([
    'error cannot check or repair the node\'s sets of pod addresses: no such device {"failures":1}',
    'info the node\'s sets of pod addresses are checked again {"failures":2}',
    'warn repaired the node\'s sets of pod addresses, which another process changed {"drift":"a; b; c; d and 2 more"}',
    'warn repaired the node\'s rules for probes, which another process changed {"drift":"missing jump"}',
    'error another process keeps changing the node\'s rules for probes: find and stop it; until then probes of pods in the mesh may fail {"nextHealInMs":2000}',
  ])
  const heals = (await registry.text()).split('\n').filter((line) => line.startsWith('istio_cni_ambient_heals'))
  expect(heals).toEqual([
    'istio_cni_ambient_heals_total{part="host_sets",result="fail"} 2',
    'istio_cni_ambient_heals_total{part="host_sets",result="success"} 1',
    'istio_cni_ambient_heals_total{part="host_rules",result="success"} 1',
  ])
})
