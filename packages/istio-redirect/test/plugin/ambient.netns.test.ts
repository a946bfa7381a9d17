import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { meshPod, plainPod } from '../../src/testing/pods.ts'
import { type NodeAgent, startNodeAgent } from '../stage/node-agent.ts'
import { type Fixture, fixture, prevResult } from './fixture.ts'

let node: Fixture
let agent: NodeAgent
beforeEach(async () => {
  node = await fixture(plainPod())
  agent = await startNodeAgent(node.runDir)
})
afterEach(async () => {
  await agent[Symbol.asyncDispose]()
  await node[Symbol.asyncDispose]()
})

const mode = 'istio.io/dataplane-mode'
const ambient = { [mode]: 'ambient' }
const status = { 'sidecar.istio.io/status': '{}' }
/** Istio's default selectors: the pod has the label, or its namespace has it and the pod does not opt out. */
const conf = {
  ambient_enabled: true,
  pod_namespace: 'istio-system',
  enablement_selectors: [
    { podSelector: { matchLabels: ambient } },
    {
      podSelector: { matchExpressions: [{ key: mode, operator: 'NotIn', values: ['none'] }] },
      namespaceSelector: { matchLabels: ambient },
    },
  ],
}
const add = (more: object = {}) => node.call('ADD', { conf: { ...conf, ...more } })
const namespaceLookups = () => node.api.requests.filter(({ url }) => url === '/api/v1/namespaces/demo').length
const foreignProxy = { ...meshPod(), metadata: { name: 'web', namespace: 'demo' } }
const dualStack = { proxy: { env: [{ name: 'ISTIO_DUAL_STACK', value: 'true' }] } }

/** The plugin's effect on a pod: `event`, `rules`, or `nothing`. */
const fate = async (): Promise<string> => {
  const found = [
    ...(agent.events.length > 0 ? ['event'] : []),
    ...((await node.rules()).includes('ISTIO') ? ['rules'] : []),
  ]
  return found.join(' and ') || 'nothing'
}

describe('with ambient mode on', () => {
  test.each([
    ['a plain pod of an ambient namespace', plainPod(), ambient, 'event'],
    ['a pod with a container that is only called istio-proxy', foreignProxy, ambient, 'event'],
    ['a pod with a sidecar in an ambient namespace', meshPod(), ambient, 'rules'],
    ['a pod that objects', plainPod({ labels: { [mode]: 'none' } }), ambient, 'nothing'],
    ['a pod that asks for it itself', plainPod({ labels: ambient }), {}, 'event'],
    ['a pod that asks for it in a namespace that does, too', plainPod({ labels: ambient }), ambient, 'event'],
    ['a plain pod', plainPod(), {}, 'nothing'],
    ['a pod with a sidecar that asks for it', meshPod({ labels: ambient }), {}, 'rules'],
    ['a pod with a sidecar that objects', meshPod({ labels: { [mode]: 'none' } }), ambient, 'rules'],
    ['a pod with the status and istio-init', meshPod({ initContainers: [{ name: 'istio-init' }] }), ambient, 'nothing'],
    [
      'a pod whose injection is off',
      meshPod({ annotations: { 'sidecar.istio.io/inject': 'false' } }),
      ambient,
      'nothing',
    ],
    ['a pod with a proxy and no status', foreignProxy, {}, 'nothing'],
    ['a dual-stack pod with a sidecar', meshPod(dualStack), ambient, 'rules'],
    ['a pod of the host’s network', plainPod({ labels: ambient, hostNetwork: true }), ambient, 'nothing'],
    ['a pod with the status and no proxy', plainPod({ annotations: status }), ambient, 'nothing'],
  ])('%s', async (_, pod, labels, expected) => {
    node.api.setPod(pod)
    node.api.setNamespace('demo', labels)
    expect(await add()).toMatchObject({ exitCode: 0, document: prevResult('10.1.2.3/24') })
    expect(await fate()).toBe(expected)
    expect(node.state()).toHaveLength(expected === 'rules' ? 1 : 0)
  })

  test('a pod without a previous result starts', async () => {
    node.api.setPod(plainPod({ labels: ambient }))
    expect(await add({ prevResult: undefined })).toMatchObject({ exitCode: 0, document: { cniVersion: '1.0.0' } })
    expect(JSON.parse(agent.events[0]?.body ?? '')).toMatchObject({ IPs: null })
  })

  test('an invalid address in the previous result is refused, and the error names it', async () => {
    expect(await add({ prevResult: { cniVersion: '1.0.0', ips: [null] } })).toMatchObject({
      exitCode: 1,
      document: { msg: expect.stringContaining('ips') },
    })
    expect(agent.events).toEqual([])
  })

  test.each([
    ['an excluded namespace', { exclude_namespaces: ['demo'] }, {}],
    ['the node agent itself', {}, { CNI_ARGS: 'K8S_POD_NAMESPACE=istio-system;K8S_POD_NAME=istio-cni-node-x7' }],
  ])('%s causes no request to the API server and no event', async (_, more, env) => {
    node.api.setPod(plainPod({ labels: ambient }))
    expect(await node.call('ADD', { conf: { ...conf, ...more }, env })).toMatchObject({ exitCode: 0 })
    expect(await fate()).toBe('nothing')
    expect(node.api.requests).toEqual([])
  })

  test('another pod of the agent’s namespace is treated like any other pod', async () => {
    node.api.setPod(plainPod({ name: 'istiod', namespace: 'istio-system', labels: ambient }))
    const env = { CNI_ARGS: 'K8S_POD_NAMESPACE=istio-system;K8S_POD_NAME=istiod' }
    expect(await node.call('ADD', { conf, env })).toMatchObject({ exitCode: 0 })
    expect(await fate()).toBe('event')
  })

  test('the namespace is requested only when it decides', async () => {
    node.api.setNamespace('demo', ambient)
    for (const [pod, lookups] of [
      [plainPod({ labels: ambient }), 0],
      [plainPod({ labels: { [mode]: 'none' } }), 0],
      [meshPod(), 0],
      [plainPod(), 1],
    ] as const) {
      node.api.setPod(pod)
      await add()
      expect(namespaceLookups()).toBe(lookups)
    }
  })

  test.each([
    ['off', { ambient_enabled: false }],
    ['without an entry', { enablement_selectors: [] }],
  ])('a pod that asks for ambient mode is unchanged with ambient mode %s', async (_, more) => {
    node.api.setPod(plainPod({ labels: ambient }))
    expect(await add(more)).toMatchObject({ exitCode: 0 })
    expect(await fate()).toBe('nothing')
  })
})

describe('annotations from the runtime', () => {
  const handed = (annotations: object) => ({ runtimeConfig: { 'io.kubernetes.cri.pod-annotations': annotations } })
  test.each([
    ['decide alone with ambient mode off', { ...handed({ a: 'b' }), ambient_enabled: false }, 0],
    ['decide alone where no entry could choose a pod', { ...handed({ a: 'b' }), enablement_selectors: [] }, 0],
    ['do not show the labels by which ambient pods are chosen', handed({ a: 'b' }), 1],
  ])('%s', async (_, more, requests) => {
    node.api.setPod(plainPod({ labels: { [mode]: 'none' } }))
    expect(await add(more)).toMatchObject({ exitCode: 0 })
    expect(node.api.requests).toHaveLength(requests)
    expect(await fate()).toBe('nothing')
  })
})

describe('the event', () => {
  beforeEach(() => node.api.setPod(plainPod({ labels: ambient })))

  test('has the fields of Istio’s plugin: pod, namespace and addresses', async () => {
    const ips = [{ address: '10.0.0.2/24', interface: 0, gateway: '10.0.0.1' }, { address: 'FD00:0::5/64' }]
    const { exitCode } = await add({ prevResult: { ...prevResult(), ips } })
    expect(exitCode).toBe(0)
    expect(agent.events).toEqual([
      {
        line: 'POST /cmdadd',
        contentType: 'application/json',
        body:
          `{"Netns":"${node.netns.path}","PodName":"web","PodNamespace":"demo","IPs":[` +
          '{"Interface":0,"Address":{"IP":"10.0.0.2","Mask":"////AA=="},"Gateway":"10.0.0.1"},' +
          '{"Interface":null,"Address":{"IP":"fd00::5","Mask":"//////////8AAAAAAAAAAA=="},"Gateway":""}]}',
      },
    ])
  })

  test.each([
    [
      'refuses',
      { status: 500, body: 'not eligible\u001b[2J\n{"level":"error"}' },
      'unable to push CNI event (status code 500): not eligible',
    ],
    ['answers with a success that is none', { status: 204 }, 'unable to push CNI event (status code 204)'],
    ['cuts the connection', { cut: true }, 'failed to send event request'],
  ])('to an agent that %s fails the ADD, for the runtime to repeat', async (_, how, text) => {
    agent.answerEvents(how)
    const { exitCode, document } = await add()
    expect({ exitCode, document }).toMatchObject({
      exitCode: 1,
      document: {
        code: 11,
        msg: expect.stringContaining(text),
        details: expect.stringContaining('check that the node agent (install-cni) runs'),
      },
    })
    expect(document.msg).toContain('ambient pod demo/web could not be handed to the node agent')
    expect(document.msg).not.toMatch(/\p{C}/u)
    expect(agent.events).toHaveLength(1)
  })

  test('to an agent that is not there fails the ADD', async () => {
    await agent[Symbol.asyncDispose]()
    expect(await add()).toMatchObject({ exitCode: 1, document: { code: 11, msg: expect.stringContaining('ENOENT') } })
  })

  test('to an agent that does not answer ends after five seconds', async () => {
    agent.answerEvents({ hang: true })
    // The plugin runs in this process. The fake timer skips its five seconds.
    const wait = globalThis.setTimeout
    const hurried = (run: () => void, ms?: number) => wait(run, ms === 5000 ? 20 : ms)
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(Object.assign(hurried, wait))
    const outcome = await add()
    vi.restoreAllMocks()
    expect(outcome).toMatchObject({
      exitCode: 1,
      document: { code: 11, msg: expect.stringContaining('no answer within 5000 ms') },
    })
  })

  test('ends with the call', async () => {
    agent.answerEvents({ hang: true })
    const outcome = await node.call('ADD', { conf, signal: AbortSignal.timeout(300) })
    expect(outcome).toMatchObject({ exitCode: 1, document: { code: 11 } })
  })
})

describe('a namespace that cannot be read', () => {
  test('leaves the pod outside of ambient mode after two attempts, with a warning', async () => {
    node.api.setNamespace('demo', ambient)
    node.api.misbehave({}, { status: 404 }, { status: 404 })
    const { exitCode, log } = await add()
    expect(exitCode).toBe(0)
    expect(await fate()).toBe('nothing')
    expect(namespaceLookups()).toBe(2)
    expect(log).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        msg: expect.stringMatching(/^pod demo\/web is treated as not ambient: .*namespace demo/),
        hint: expect.stringContaining('enable_ambient_detection_retry'),
      }),
    )
  })

  test('fails the ADD with enable_ambient_detection_retry', async () => {
    node.api.misbehave({}, { status: 403 })
    expect(await add({ enable_ambient_detection_retry: true })).toMatchObject({
      exitCode: 1,
      document: { code: 50, msg: expect.stringContaining('namespace demo could not be read') },
    })
  })

  test('is requested with enable_ambient_detection_retry as often as a pod', async () => {
    node.api.setNamespace('demo', ambient)
    node.api.misbehave({}, { cut: true }, { status: 404 })
    expect(await add({ enable_ambient_detection_retry: true })).toMatchObject({ exitCode: 0 })
    expect(await fate()).toBe('event')
    expect(namespaceLookups()).toBe(3)
  })
})

test('DEL of an ambient pod sends no request and no event', async () => {
  node.api.setPod(plainPod({ labels: ambient }))
  await add()
  const requests = node.api.requests.length
  expect(await node.call('DEL', { conf })).toMatchObject({ exitCode: 0, stdout: '' })
  expect(node.api.requests).toHaveLength(requests)
  expect(agent.events).toHaveLength(1)
})
