import { KubeError } from '@cni/kube'
import { describe, expect, test } from 'vitest'
import type { Pod } from '../../../../istio-rules/src/pod/pod.ts'
import { podInfo } from '../../../../istio-rules/src/pod/pod-info.ts'
import { RedirectError } from '../../../../istio-rules/src/pod/redirect-error.ts'
import { requestFor } from '../../../test/serve/serve-client.ts'
import type { AddCall } from '../../decide/decide-add.ts'
import type { AddRequest } from '../../serve/add-request.ts'
import { meshPod, plainPod } from '../../testing/pods.ts'
import { type AgentSources, answerAdd } from './answer-add.ts'

const web = requestFor('web', { uid: '7' })
const withAddresses = (addresses: Partial<AddRequest['addresses']>): AddRequest => ({
  ...web,
  addresses: { ...web.addresses, ...addresses },
})
const answer = (pod: Pod, request = web, more: Partial<AgentSources> = {}) =>
  answerAdd(request, { pod: async () => podInfo(pod), ...more })

test('the answer for a mesh pod holds the capture settings and one batch, and no log lines', async () => {
  const said = await answer(meshPod())
  expect(said).toMatchObject({ act: 'redirect', log: [], config: { ipv6: false, interceptionMode: 'REDIRECT' } })
  expect(said.act === 'redirect' && said.batch?.length).toBeGreaterThan(1000)
})

test('the answer for a mesh pod holds native rules if the request asks for them', async () => {
  const said = await answer(meshPod(), { ...web, native: true })
  expect(said.act === 'redirect' && Buffer.from(said.batch ?? []).includes('istio-proxy-nat')).toBe(true)
})

test('the agent looks up the pod by its UID', async () => {
  const asked: unknown[] = []
  const pod = async (who: unknown) => {
    asked.push(who)
    return podInfo(meshPod())
  }
  for (const uid of ['7', undefined]) await answerAdd(requestFor('web', { uid }), { pod })
  expect(asked).toEqual([
    { namespace: 'demo', name: 'web', uid: '7' },
    { namespace: 'demo', name: 'web', uid: undefined },
  ])
})

test('a pod outside the mesh is skipped, with the reason in the log', async () => {
  expect(await answer(plainPod())).toEqual({
    act: 'skip',
    log: [
      {
        level: 'info',
        message: 'excluded because it does not have istio-proxy container (have [app])',
        fields: { pod: 'demo/web' },
      },
    ],
  })
})

test.each<[string, Pod, AddRequest, object]>([
  [
    'an annotation',
    meshPod({ annotations: { 'traffic.sidecar.istio.io/excludeInboundPorts': 'x' } }),
    web,
    { code: 7, msg: expect.stringContaining('excludeInboundPorts') },
  ],
  [
    'a namespace without a local address',
    meshPod(),
    withAddresses({ told: [] }),
    { code: 7, msg: 'no valid local IP address found' },
  ],
])('%s with an invalid value is answered with the error', async (_, pod, request, error) => {
  expect(await answer(pod, request)).toMatchObject({ act: 'error', error })
})

test('IPv6 is captured according to the addresses and settings that the plugin found', async () => {
  const pod = meshPod({ proxy: { env: [{ name: 'ISTIO_DUAL_STACK', value: 'true' }] } })
  const both = { told: ['10.1.2.3/24', 'fd00::3/64'], found: [] }
  expect(await answer(pod, withAddresses(both))).toMatchObject({ act: 'redirect', config: { ipv6: true } })
  expect(await answer(pod, withAddresses({ ...both, ipv6Off: true }))).toMatchObject({
    act: 'redirect',
    config: { ipv6: false },
    log: [{ message: 'IPv6 is switched off in the pod: it is not captured' }],
  })
})

test('a pod with more rules than the limit is refused, and a pod with invalid lists fails', async () => {
  const key = 'traffic.sidecar.istio.io/excludeOutboundPorts'
  const withPorts = (count: number) =>
    meshPod({ annotations: { [key]: Array.from({ length: count }, (_, i) => i).join() } })
  expect(await answer(withPorts(80))).toMatchObject({ act: 'redirect' })
  expect(await answer(withPorts(120))).toEqual({
    act: 'refused',
    reason: 'rules',
    detail: 'the pod needs up to 301 rules, but the agent serves at most 256',
  })
  expect(await answer(withPorts(5000))).toMatchObject({
    act: 'error',
    error: { code: 7, msg: expect.stringContaining(`annotation ${key} of pod demo/web`) },
  })
})

test('a pod that cannot be looked up is refused', async () => {
  const pod = async () => Promise.reject(new KubeError('NETWORK', 'no route'))
  expect(await answerAdd(web, { pod })).toEqual({ act: 'refused', reason: 'pod', detail: 'no route' })
})

describe('a pod that may be ambient', () => {
  const settings: AddCall['settings'] = { ambientSelectors: [{ podSelector: {} }], ambientOptOut: false }
  const request = { ...withAddresses({ told: ['10.1.2.3/24', 'fd00::3/64'] }), call: { ...web.call, settings } }
  const asked = (enrol: NonNullable<AgentSources['enrol']>) => answer(plainPod(), request, { enrol })

  test('is enrolled in the call, with the namespace and addresses that the plugin sent', async () => {
    const enrolled: unknown[] = []
    const said = await asked(async (pod) => {
      enrolled.push(pod)
      return 'enrolled'
    })
    expect(enrolled).toEqual([
      { namespace: 'demo', name: 'web', uid: '7', netns: '/run/netns/x', addresses: ['10.1.2.3', 'fd00::3'] },
    ])
    expect(said).toMatchObject({
      act: 'skip',
      log: [{ message: 'the node agent enrolled the pod in ambient mode', fields: { pod: 'demo/web' } }],
    })
  })

  test('fails with "try again later" if the enrolment fails', async () => {
    expect(await asked(() => Promise.reject(new Error('no ztunnel connected')))).toMatchObject({
      act: 'error',
      error: { code: 11, msg: 'ambient pod demo/web could not be enrolled by the node agent: no ztunnel connected' },
    })
  })

  test('fails with an invalid configuration if one of its annotations is invalid', async () => {
    const key = 'istio.io/reroute-virtual-interfaces'
    const source = { kind: 'annotation', key, value: 'a', owner: 'pod demo/web' } as const
    expect(await asked(() => Promise.reject(new RedirectError(source, 'too long')))).toMatchObject({
      act: 'error',
      error: { code: 7, msg: expect.stringContaining('annotation istio.io/re') },
    })
  })

  test('and is not ambient gets the usual decision', async () => {
    const said = await asked(async () => 'not-ambient')
    expect(said).toMatchObject({ act: 'skip' })
    expect(JSON.stringify(said)).toContain('it does not have istio-proxy container')
  })

  test('is refused if the agent does not know whether it is ambient', async () => {
    expect(await asked(async () => undefined)).toMatchObject({ act: 'refused', reason: 'ambient' })
  })
})
