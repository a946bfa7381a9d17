import { describe, expect, test } from 'vitest'
import type { Conf } from '../../../istio-redirect/src/conf/conf.ts'
import { settingsOf } from '../../../istio-redirect/src/conf/settings.ts'
import { meshPod, type PodOptions, plainPod } from '../../../istio-redirect/src/testing/pods.ts'
import { podInfo } from '../pod/pod-info.ts'
import { decideWithoutApi } from './decide-without-api.ts'
import { maybeAmbient, skipReason } from './ladder.ts'

const selectors = [{ podSelector: { matchLabels: { 'istio.io/dataplane-mode': 'ambient' } } }]
const settings = (conf: Partial<Conf> = {}) => settingsOf({ name: 'pods', cni_agent_run_dir: '/run', ...conf })
const mesh = (options: PodOptions = {}) => podInfo(meshPod(options))
const status = { 'sidecar.istio.io/status': '' }
const web = { namespace: 'demo', name: 'web' }

describe('before anything is read or asked', () => {
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
      'an excluded namespace in the manner of Istio 1.19',
      web,
      { kubernetes: { exclude_namespaces: ['demo'] } },
      undefined,
      'pod namespace demo excluded',
    ],
    [
      'a pod whose annotations are known and lack the status',
      web,
      {},
      { a: 'b' },
      'excluded due to not containing sidecar annotation',
    ],
    [
      'the same where ambient mode selects nothing',
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
    ['a pod named like the agent when no namespace is ours', agent, {}, undefined],
    ['another pod of the namespace of the agent', { ...agent, name: 'istiod' }, ours, undefined],
    [
      'a pod of a namespace that only starts like an excluded one',
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
    ['a pod whose annotations came in no usable form', web, {}, ['a']],
  ])('%s has to be asked for', (_, pod, conf, podAnnotations) => {
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
  ])('the pod %j/%j is refused by name', (namespace, name) => {
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
      'with istio-init among its init containers',
      mesh({ initContainers: [{ name: 'istio-init' }] }),
      'already injected with istio-init container',
    ],
    [
      'with istio-init among its containers',
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
      'with injection switched off by annotation',
      mesh({ annotations: { 'sidecar.istio.io/inject': 'false' } }),
      'inject-disabled annotation',
    ],
    [
      'with injection switched off by label',
      mesh({ labels: { 'sidecar.istio.io/inject': 'F' }, annotations: { 'sidecar.istio.io/inject': 'true' } }),
      'inject-disabled annotation',
    ],
    ['without the status annotation', { ...mesh(), annotations: {} }, 'not containing sidecar annotation'],
    [
      'that asks for no interception',
      mesh({ annotations: { 'sidecar.istio.io/interceptionMode': 'NONE' } }),
      'interceptionMode NONE',
    ],
  ])('%s', (_, pod, reason) => {
    expect(skipReason(pod)).toMatchObject({ act: 'skip', reason: expect.stringContaining(reason) })
  })
})

describe('a pod is redirected', () => {
  test.each([
    ['as the injector leaves it', mesh()],
    ['with an empty status annotation', mesh({ annotations: status })],
    [
      'with its proxy as a native sidecar',
      podInfo({ ...plainPod({ annotations: status, initContainers: [{ name: 'istio-proxy' }] }) }),
    ],
    ['with an unreadable DISABLE_ENVOY', mesh({ proxy: { env: [{ name: 'DISABLE_ENVOY', value: 'yes' }] } })],
    ['with a proxy that was given no arguments', mesh({ proxy: { args: [] } })],
    ['with a proxy whose type is empty', mesh({ proxy: { args: ['proxy', ''] } })],
    ['with an unreadable inject annotation', mesh({ annotations: { 'sidecar.istio.io/inject': 'disabled' } })],
    [
      'with an empty inject label beside a false annotation',
      mesh({ labels: { 'sidecar.istio.io/inject': '' }, annotations: { 'sidecar.istio.io/inject': 'false' } }),
    ],
  ])('%s', (_, pod) => {
    expect(skipReason(pod)).toBeUndefined()
  })
})

describe('only the selectors of ambient mode can tell', () => {
  const ambient = settings({ ambient_enabled: true, enablement_selectors: selectors })
  test.each([
    ['what a pod without a sidecar is', podInfo(plainPod()), ambient, true],
    ['what a pod with a container called istio-proxy but no status is', { ...mesh(), annotations: {} }, ambient, true],
    ['nothing about a pod with a sidecar', mesh(), ambient, false],
    ['nothing about a pod on the network of the host', podInfo(plainPod({ hostNetwork: true })), ambient, false],
    ['nothing when ambient mode is off', podInfo(plainPod()), settings({ enablement_selectors: selectors }), false],
    [
      'nothing when there are none',
      podInfo(plainPod()),
      settings({ ambient_enabled: true, enablement_selectors: null }),
      false,
    ],
  ])('%s', (_, pod, conf, expected) => {
    expect(maybeAmbient(pod, conf)).toBe(expected)
  })
})
