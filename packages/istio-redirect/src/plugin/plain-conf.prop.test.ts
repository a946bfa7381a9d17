import { checkConfig, netConf } from '@cni/skel/schema'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tampered } from '../../test/tampered.ts'
import { confSchema } from './conf.ts'
import { confKeys, isPlainConf } from './plain-conf.ts'

const complete = {
  cniVersion: '1.0.0',
  name: 'pods',
  type: 'istio-cni',
  plugin_log_level: 'info',
  cni_agent_run_dir: '/var/run/istio-cni',
  ambient_enabled: true,
  enablement_selectors: [
    { podSelector: { matchLabels: { 'istio.io/dataplane-mode': 'ambient' } } },
    {
      podSelector: { matchExpressions: [{ key: 'istio.io/dataplane-mode', operator: 'NotIn', values: ['none'] }] },
      namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'Exists' }], matchLabels: null },
    },
  ],
  exclude_namespaces: ['kube-system'],
  pod_namespace: 'istio-system',
  native_nftables: false,
  enable_ambient_detection_retry: false,
  check_mode: 'verify',
  status_mode: 'lenient',
  agent: 'auto',
  log_level: null,
  log_uds_address: '',
  capabilities: { 'io.kubernetes.cri.pod-annotations': true },
  runtimeConfig: { 'io.kubernetes.cri.pod-annotations': { a: 'b' } },
  args: { cni: {} },
  ipam: { type: 'host-local', subnet: '10.0.0.0/8' },
  dns: { nameservers: ['10.0.0.1'], search: [], options: ['a'], domain: 'b' },
  ipMasq: true,
  prevResult: { ips: [{ address: '10.0.0.2/8' }] },
}

test('the keys are those of the schema, besides the standard ones', () => {
  const standard = Object.keys(netConf({})._zod.def.shape)
  expect([...standard, ...confKeys].sort()).toEqual(Object.keys(confSchema._zod.def.shape).sort())
})

test('what node agents and runtimes write is vouched for', () => {
  expect(isPlainConf(complete)).toBe(true)
  expect(isPlainConf({ name: 'pods', type: 'istio-cni', enablement_selectors: null, kubernetes: null })).toBe(true)
})

test('what is vouched for is what the schema accepts, changes nothing in, and says nothing of', async () => {
  let vouched = 0
  await fc.assert(
    fc.asyncProperty(tampered(complete), async (document) => {
      if (!isPlainConf(document)) return
      vouched++
      const said: string[] = []
      const log = {
        debug: (message: string) => void said.push(message),
        warn: (message: string) => void said.push(message),
      }
      expect(await checkConfig(confSchema, document, log)).toEqual(document)
      expect(said).toEqual([])
    }),
    { numRuns: 5000 },
  )
  expect(vouched).toBeGreaterThan(300)
})
