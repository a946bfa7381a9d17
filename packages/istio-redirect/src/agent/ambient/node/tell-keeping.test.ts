import { expect, test } from 'vitest'
import { metricsRegistry } from '../../serve/metrics.ts'
import { ambientMetrics } from '../ambient-metrics.ts'
import { tellKeeping } from './tell-keeping.ts'

test('heals are logged with what was changed, failures once, and both are counted', async () => {
  const lines: string[] = []
  const write = (level: string) => (msg: string, labels?: object) => {
    lines.push(`${level} ${msg} ${JSON.stringify(labels ?? {})}`)
  }
  const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
  const registry = metricsRegistry()
  const tell = tellKeeping(log, ambientMetrics(registry))
  const error = new Error('no such device')
  tell({ type: 'failed', part: 'host_sets', error })
  tell({ type: 'failed', part: 'host_sets', error })
  tell({ type: 'healed', part: 'host_sets', drift: ['a', 'b', 'c', 'd', 'e', 'f'] })
  tell({ type: 'healed', part: 'host_rules', drift: ['missing jump'] })
  tell({ type: 'contested', part: 'host_rules', pauseMs: 2000 })
  expect(lines).toEqual([
    'error the node\'s sets of pod addresses cannot be kept: no such device {"failures":1}',
    'info the node\'s sets of pod addresses can be kept again {"failures":2}',
    'warn somebody changed the node\'s sets of pod addresses, which is put right {"drift":"a; b; c; d and 2 more"}',
    'warn somebody changed the node\'s rules for probes, which is put right {"drift":"missing jump"}',
    'error somebody changes the node\'s rules for probes again and again: who? Meanwhile probes of pods in the mesh may fail {"nextHealInMs":2000}',
  ])
  const heals = (await registry.text()).split('\n').filter((line) => line.startsWith('istio_cni_ambient_heals'))
  expect(heals).toEqual([
    'istio_cni_ambient_heals_total{part="host_sets",result="fail"} 2',
    'istio_cni_ambient_heals_total{part="host_sets",result="success"} 1',
    'istio_cni_ambient_heals_total{part="host_rules",result="success"} 1',
  ])
})
