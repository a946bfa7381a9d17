import { describe, expect, test } from 'vitest'
import type { Conf } from '../../../istio-redirect/src/conf/conf.ts'
import { settingsOf } from '../../../istio-redirect/src/conf/settings.ts'
import { meshPod, type PodOptions, plainPod } from '../../../istio-redirect/src/testing/pods.ts'
import { podInfo } from '../pod/pod-info.ts'
import { decideWithoutApi } from './decide-without-api.ts'
import { maybeAmbient, skipReason } from './skip-reason.ts'

const selectors = [{ podSelector: { matchLabels: { 'istio.io/dataplane-mode': 'ambient' } } }]
const settings = (conf: Partial<Conf> = {}) => settingsOf({ name: 'pods', cni_agent_run_dir: '/run', ...conf })
const mesh = (options: PodOptions = {}) => podInfo(meshPod(options))
const status = { 'sidecar.istio.io/status': '' }
const web = { namespace: 'demo', name: 'web' }

describe('without the kubeconfig and the API server', () => {
  const agent = { namespace: 'istio-system', name: 'istio-cni-node-x7' }
  const ours = { pod_namespace: 'istio-system' }
  const excluding = { exclude_namespaces: ['demo'] }

  test.each([
    ['a container without a pod', undefined, {}, undefined, 'Not a kubernetes pod'],
    ['our own agent', agent, ours, undefined, 'istio-system/istio-cni-node-x7 looks like our own agent pod, skipping'],
    [
      'our own agent, with ambient mode',
      agent,
      { ...ours, ambient_enabled: true, enablement_selectors: selectors },
      undefined,
      'looks like our own agent pod',
    ],
    ['an excluded namespace', web, excluding, undefined, 'pod namespace demo excluded'],
    [
      'an excluded namespace with the key of Istio 1.19',
      web,
      { kubernetes: { exclude_namespaces: ['demo'] } },
      undefined,
      'pod namespace demo excluded',
    ],
    [
      'a pod with known annotations but without the status annotation',
      web,
      {},
      { a: 'b' },
      'excluded due to not containing sidecar annotation',
    ],
    [
      'such a pod in ambient mode without selectors',
      web,
      { ambient_enabled: true, enablement_selectors: [] },
      {},
      'not containing sidecar annotation',
    ],
  ])('%s is skipped', (_, pod, conf, podAnnotations, reason) => {
    expect(decideWithoutApi({ pod, podAnnotations, settings: settings(conf) })).toMatchObject({
      act: 'skip',
      reason: expect.stringContaining(reason),
    })
  })

  test.each([
    ['an ordinary pod', web, {}, undefined],
    ['a pod with the status annotation', web, {}, status],
    ['a pod named like the agent in another namespace', { ...agent, namespace: 'demo' }, ours, undefined],
    ['a pod named like the agent if the agent’s namespace is not set', agent, {}, undefined],
    ['another pod in the agent’s namespace', { ...agent, name: 'istiod' }, ours, undefined],
    [
      'a pod in a namespace whose name starts with an excluded name',
      { ...web, namespace: 'demo-2' },
      excluding,
      undefined,
    ],
    [
      'a pod without the status annotation that may be ambient',
      web,
      { ambient_enabled: true, enablement_selectors: selectors },
      {},
    ],
    ['a pod whose annotations have the wrong type', web, {}, ['a']],
  ])('%s requires the API server', (_, pod, conf, podAnnotations) => {
    expect(decideWithoutApi({ pod, podAnnotations, settings: settings(conf) })).toEqual({ act: 'ask', pod })
  })

  test.each([
    ['../..', 'web'],
    ['demo', '../../../secrets/x'],
    ['demo', 'web?watch=true'],
    ['demo', 'web\nX: y'],
    ['Demo', 'web'],
    ['demo', `${'a'.repeat(254)}`],
    ['d'.repeat(64), 'web'],
    ['demo', 'web.'],
  ])('the pod name %j/%j causes an error', (namespace, name) => {
    expect(() =>
      decideWithoutApi({ pod: { namespace, name }, podAnnotations: undefined, settings: settings() }),
    ).toThrow(expect.objectContaining({ code: 4, details: expect.stringContaining(JSON.stringify(name)) }))
  })
})

describe('a pod is skipped', () => {
  const proxyEnv = (name: string, value: string): PodOptions => ({ proxy: { env: [{ name, value }] } })
  test.each([
    ['on the network of the host', mesh({ hostNetwork: true }), 'network of the host'],
    [
      'with the init container istio-init',
      mesh({ initContainers: [{ name: 'istio-init' }] }),
      'already injected with istio-init container',
    ],
    [
      'with the container istio-init',
      { ...mesh(), containers: new Set(['app', 'istio-proxy', 'istio-init']) },
      'already injected with istio-init container',
    ],
    ['with Envoy disabled', mesh(proxyEnv('DISABLE_ENVOY', 'T')), 'DISABLE_ENVOY on istio-proxy'],
    [
      'without istio-proxy',
      podInfo(plainPod({ annotations: status, initContainers: [{ name: 'a-first' }] })),
      'does not have istio-proxy container (have [a-first app])',
    ],
    [
      'as a gateway',
      mesh({ proxy: { args: ['proxy', 'router'] } }),
      'excluded demo/web pod because it has proxy type "router"',
    ],
    [
      'with injection disabled by annotation',
      mesh({ annotations: { 'sidecar.istio.io/inject': 'false' } }),
      'inject-disabled annotation',
    ],
    [
      'with injection disabled by label',
      mesh({ labels: { 'sidecar.istio.io/inject': 'F' }, annotations: { 'sidecar.istio.io/inject': 'true' } }),
      'inject-disabled annotation',
    ],
    ['without the status annotation', { ...mesh(), annotations: {} }, 'not containing sidecar annotation'],
    [
      'with interceptionMode NONE',
      mesh({ annotations: { 'sidecar.istio.io/interceptionMode': 'NONE' } }),
      'interceptionMode NONE',
    ],
  ])('%s', (_, pod, reason) => {
    expect(skipReason(pod)).toMatchObject({ act: 'skip', reason: expect.stringContaining(reason) })
  })
})

describe('a pod is redirected', () => {
  test.each([
    ['as the injector creates it', mesh()],
    ['with an empty status annotation', mesh({ annotations: status })],
    [
      'with its proxy as a native sidecar',
      podInfo({ ...plainPod({ annotations: status, initContainers: [{ name: 'istio-proxy' }] }) }),
    ],
    ['with an invalid DISABLE_ENVOY', mesh({ proxy: { env: [{ name: 'DISABLE_ENVOY', value: 'yes' }] } })],
    ['with a proxy without arguments', mesh({ proxy: { args: [] } })],
    ['with an empty proxy type', mesh({ proxy: { args: ['proxy', ''] } })],
    ['with an invalid inject annotation', mesh({ annotations: { 'sidecar.istio.io/inject': 'disabled' } })],
    [
      'with an empty inject label and a false annotation',
      mesh({ labels: { 'sidecar.istio.io/inject': '' }, annotations: { 'sidecar.istio.io/inject': 'false' } }),
    ],
  ])('%s', (_, pod) => {
    expect(skipReason(pod)).toBeUndefined()
  })
})

describe('maybeAmbient', () => {
  const ambient = settings({ ambient_enabled: true, enablement_selectors: selectors })
  test.each([
    ['is true for a pod without a sidecar', podInfo(plainPod()), ambient, true],
    [
      'is true for a pod with a container istio-proxy but without the status annotation',
      { ...mesh(), annotations: {} },
      ambient,
      true,
    ],
    ['is false for a pod with a sidecar', mesh(), ambient, false],
    ['is false for a pod on the network of the host', podInfo(plainPod({ hostNetwork: true })), ambient, false],
    ['is false if ambient mode is off', podInfo(plainPod()), settings({ enablement_selectors: selectors }), false],
    [
      'is false without selectors',
      podInfo(plainPod()),
      settings({ ambient_enabled: true, enablement_selectors: null }),
      false,
    ],
  ])('%s', (_, pod, conf, expected) => {
    expect(maybeAmbient(pod, conf)).toBe(expected)
  })
})
