import { describe, expect, test } from 'vitest'
import { KubeError } from '../kube/kube-error.ts'
import type { Pod } from '../kube/pod.ts'
import { podInfo } from '../redirect/pod-info.ts'
import { RedirectError } from '../redirect/redirect-error.ts'
import { meshPod, plainPod } from '../testing/pods.ts'
import { answerCall } from './answer-call.ts'
import type { NamespaceFacts, ServeAnswer, ServeRequest } from './protocol.ts'

const facts: NamespaceFacts = {
  netns: { dev: 4, ino: 4026532 },
  backend: 'nft',
  fresh: true,
  generation: 4,
  inet6: '',
}
const conf = {
  cniVersion: '1.0.0',
  name: 'pods',
  type: 'istio-cni',
  cni_agent_run_dir: '/run/istio-cni',
  ...told('10.1.2.3/24'),
}

/** A result of earlier plugins. */
function told(...addresses: string[]) {
  return { prevResult: { cniVersion: '1.0.0', ips: addresses.map((address) => ({ address })) } }
}

interface Asked {
  readonly conf?: object
  readonly facts?: Partial<NamespaceFacts>
  readonly args?: string
  readonly env?: Readonly<Record<string, string>>
}

function request(asked: Asked = {}): ServeRequest {
  const args = asked.args ?? 'K8S_POD_NAMESPACE=demo;K8S_POD_NAME=web;K8S_POD_UID=7'
  return {
    protocol: 3,
    version: '1',
    env: {
      ...{ CNI_COMMAND: 'ADD', CNI_CONTAINERID: 'c', CNI_IFNAME: 'eth0', CNI_PATH: '/opt/cni/bin' },
      ...{ CNI_ARGS: args, CNI_NETNS: '/run/netns/x', ...asked.env },
    },
    stdin: Buffer.from(JSON.stringify({ ...conf, ...asked.conf })),
  }
}

const factsOf = (asked: Asked = {}) => ({ facts: async () => ({ ...facts, ...asked.facts }) })

const answer = (pod: Pod, asked?: Asked) =>
  answerCall(request(asked), { pod: async () => podInfo(pod), ...factsOf(asked) })

test('a pod that asks for more rules than the agent makes is left to its plugin, one with invalid lists fails', async () => {
  const key = 'traffic.sidecar.istio.io/excludeOutboundPorts'
  const withPorts = (count: number) =>
    meshPod({ annotations: { [key]: Array.from({ length: count }, (_, i) => i).join() } })
  expect(await answer(withPorts(80))).toMatchObject({ act: 'program' })
  expect(await answer(withPorts(120))).toEqual({
    act: 'refused',
    reason: 'rules',
    detail: 'the pod asks for up to 301 rules, at most 256 are served',
  })
  expect(await answer(withPorts(5000))).toMatchObject({
    act: 'error',
    error: { code: 7, msg: expect.stringContaining(`annotation ${key} of pod demo/web`) },
  })
})

test('a list that ambient mode refuses is a mistake of the pod', async () => {
  const source = {
    kind: 'annotation',
    key: 'istio.io/reroute-virtual-interfaces',
    value: 'a',
    owner: 'pod demo/web',
  } as const
  const ambient = { ambient_enabled: true, enablement_selectors: [{}] }
  const said = await answerCall(request({ conf: ambient }), {
    pod: async () => podInfo(plainPod()),
    enrol: () => Promise.reject(new RedirectError(source, 'too long')),
    ...factsOf(),
  })
  expect(said).toMatchObject({
    act: 'error',
    error: { code: 7, msg: expect.stringContaining('annotation istio.io/re') },
  })
})

test('what only the plugin knows is asked for where it decides, and a plugin that does not say it goes on alone', async () => {
  const silent = { facts: () => Promise.reject(new Error('gone')) }
  const ask = (pod: Pod) => answerCall(request(), { pod: async () => podInfo(pod), ...silent })
  expect(await ask(plainPod())).toMatchObject({ act: 'skip' })
  expect(await ask(meshPod())).toEqual({ act: 'refused', reason: 'request', detail: 'gone' })
})

/** What an answer has logged, but when. */
const logOf = (said: ServeAnswer) =>
  said.act === 'refused'
    ? []
    : said.log.map(({ text, timed }) => {
        const { time: _, ...line } = JSON.parse(text)
        return { ...line, ...(timed && { timed }) }
      })

/** What an answer would have recorded, before and after. */
const recordsOf = (said: ServeAnswer) =>
  said.act === 'program' ? [JSON.parse(said.record.begun), JSON.parse(said.record.applied)] : []

test('a pod of the mesh is answered with all that the plugin writes: its record, one batch, its log and its result', async () => {
  const found = await answer(meshPod())
  expect(found).toMatchObject({
    act: 'program',
    netns: facts.netns,
    backend: 'nft',
    network: undefined,
    stdout: '{"cniVersion":"1.0.0","ips":[{"address":"10.1.2.3/24"}]}',
    record: { name: expect.stringMatching(/^[0-9a-f]{32}\.json$/) },
  })
  const state = { network: 'pods', containerID: 'c', ifName: 'eth0', netns: facts.netns, backend: 'nft' }
  expect(recordsOf(found)).toMatchObject([
    { ...state, families: ['ipv4'], tproxy: null, applied: false },
    { ...state, families: ['ipv4'], tproxy: null, applied: true, generation: 5 },
  ])
  expect(logOf(found)).toEqual([
    {
      ...{ level: 'info', msg: 'traffic is redirected', plugin: 'istio-cni', command: 'ADD', containerID: 'c' },
      ...{ pod: 'demo/web', mode: 'REDIRECT', plan: 'fresh', families: ['ipv4'], backend: 'nft', timed: 'durationMs' },
    },
  ])
  expect(found.act === 'program' && found.batch.length).toBeGreaterThan(1000)
})

test('a pod of the mesh is answered with native rules where the configuration asks for them', async () => {
  const found = await answer(meshPod(), { conf: { native_nftables: true }, facts: { backend: 'nftables' } })
  expect(found).toMatchObject({ act: 'program', backend: 'nftables' })
  expect(recordsOf(found)[0]).toMatchObject({ backend: 'nftables', families: ['ipv4'], applied: false })
  expect(found.act === 'program' && Buffer.from(found.batch).includes('istio-proxy-nat')).toBe(true)
})

test('the agent is asked for the pod by its UID', async () => {
  const asked: unknown[] = []
  const pod = async (who: unknown) => {
    asked.push(who)
    return podInfo(meshPod())
  }
  await answerCall(request(), { pod, ...factsOf() })
  await answerCall(request({ args: 'K8S_POD_NAMESPACE=demo;K8S_POD_NAME=web' }), { pod, ...factsOf() })
  expect(asked).toMatchObject([
    { namespace: 'demo', name: 'web', uid: '7' },
    { namespace: 'demo', name: 'web', uid: undefined },
  ])
})

test.each<[string, Pod, Asked, string]>([
  ['outside the mesh', plainPod(), {}, 'excluded because it does not have istio-proxy container (have [app])'],
  ['of an excluded namespace', meshPod(), { conf: { exclude_namespaces: ['demo'] } }, 'pod namespace demo excluded'],
  ['that is none', meshPod(), { args: '', conf: { plugin_log_level: 'debug' } }, 'Not a kubernetes pod'],
])('a pod %s is skipped, with the reason as its last line', async (_, pod, asked, reason) => {
  const found = await answer(pod, asked)
  expect(found).toMatchObject({ act: 'skip', stdout: expect.stringContaining('10.1.2.3/24') })
  expect(logOf(found).at(-1)?.msg).toBe(reason)
})

const badPorts = { 'traffic.sidecar.istio.io/excludeInboundPorts': 'x' }
test.each<[string, Pod, Asked, object]>([
  [
    'an annotation',
    meshPod({ annotations: badPorts }),
    {},
    { code: 7, msg: expect.stringContaining('excludeInboundPorts') },
  ],
  [
    'a configuration',
    meshPod(),
    { conf: { exclude_namespaces: 7 } },
    { code: 7, msg: expect.stringContaining('exclude_namespaces') },
  ],
  ['a name', meshPod(), { args: 'K8S_POD_NAMESPACE=demo;K8S_POD_NAME=../x' }, { code: 4 }],
  [
    'a namespace without an address',
    meshPod(),
    { conf: told(), facts: { addresses: [] } },
    { code: 7, msg: 'no valid local IP address found' },
  ],
])('%s that cannot be worked with is answered with the error', async (_, pod, asked, error) => {
  expect(await answer(pod, asked)).toMatchObject({ act: 'error', error })
})

test.each([
  ['dual stack', { proxy: { env: [{ name: 'ISTIO_DUAL_STACK', value: 'true' }] } }, ['ipv4', 'ipv6'], null],
  ['TPROXY', { annotations: { 'sidecar.istio.io/interceptionMode': 'TPROXY' } }, ['ipv4'], { mark: 1337, table: 133 }],
])('addresses and routes of a pod are told where it needs some: %s', async (_, options, families, tproxy) => {
  const asked = { conf: told('10.1.2.3/24', 'fd00::3/64'), facts: { inet6: '', ipv6Off: false } }
  expect(await answer(meshPod(options), asked)).toMatchObject({ act: 'program', network: { families, tproxy } })
})

test.each([
  ['error', []],
  ['debug', ['iptables by netlink', 'traffic is redirected']],
])('what is logged is for the level of the configuration to say: %s', async (level, lines) => {
  const found = await answer(meshPod(), { conf: { plugin_log_level: level } })
  expect(logOf(found).map(({ msg }) => msg)).toEqual(lines)
})

describe('what the plugin has to do by itself is refused', () => {
  const ambient = { ambient_enabled: true, enablement_selectors: [{}] }
  test.each<[string, Asked, string]>([
    ['legacy tables', { facts: { backend: 'other' } }, 'backend'],
    ['native rules, and the plugin looked for those of iptables', { conf: { native_nftables: true } }, 'backend'],
    ['rules of iptables, and the plugin looked for native ones', { facts: { backend: 'nftables' } }, 'backend'],
    ['rules that are there already', { facts: { fresh: false } }, 'not-fresh'],
    ['no address of IPv4, and the kernel was not asked', { conf: told('fd00::1/64') }, 'addresses'],
    ['a switch that decides, and was not looked at', { conf: told('10.1.2.3/24', 'fd00::1/64') }, 'addresses'],
    ['a result that cannot be read', { conf: { prevResult: { cniVersion: '1.0.0', ips: 7 } } }, 'request'],
    ['a result that is none', { conf: { prevResult: 7 } }, 'request'],
    ['stdin that is no configuration', { conf: { toJSON: () => [] } }, 'request'],
    ['a version that the plugin does not have', { conf: { cniVersion: '9.0.0' } }, 'request'],
    ['a container that is none', { env: { CNI_CONTAINERID: '../x' } }, 'request'],
    ['an interface that is none', { env: { CNI_IFNAME: 'a/b' } }, 'request'],
    ['another command', { env: { CNI_COMMAND: 'DEL' } }, 'request'],
    ['a pod that may be ambient', { conf: ambient }, 'ambient'],
  ])('%s', async (_, asked, reason) => {
    const pod = reason === 'ambient' ? plainPod() : meshPod()
    expect(await answer(pod, asked)).toMatchObject({ act: 'refused', reason })
  })

  test('a pod of which nobody can say what it is', async () => {
    const pod = async () => Promise.reject(new KubeError('NETWORK', 'no route'))
    expect(await answerCall(request(), { pod, ...factsOf() })).toEqual({
      act: 'refused',
      reason: 'pod',
      detail: 'no route',
    })
  })
})

describe('a pod that may be ambient', () => {
  const ambient = { ambient_enabled: true, enablement_selectors: [{ podSelector: {} }] }
  const asked = (enrol: NonNullable<Parameters<typeof answerCall>[1]['enrol']>, pod: Pod = plainPod()) =>
    answerCall(request({ conf: { ...ambient, ...told('10.1.2.3/24', 'fd00::3/64') } }), {
      ...factsOf(),
      pod: async () => podInfo(pod),
      enrol,
    })

  test('is enrolled in the call, with what the plugin was told of it', async () => {
    const enrolled: unknown[] = []
    const said = await asked(async (pod) => {
      enrolled.push(pod)
      return 'enrolled'
    })
    expect(enrolled).toEqual([
      { namespace: 'demo', name: 'web', uid: '7', netns: '/run/netns/x', addresses: ['10.1.2.3', 'fd00::3'] },
    ])
    expect(said).toMatchObject({ act: 'skip' })
    expect(logOf(said)).toMatchObject([
      { level: 'info', msg: 'the node agent enrolled the pod in ambient mode', pod: 'demo/web' },
    ])
  })

  test('fails, to be tried again, when it cannot be enrolled', async () => {
    expect(await asked(() => Promise.reject(new Error('no ztunnel connected')))).toMatchObject({
      act: 'error',
      error: { code: 11, msg: 'ambient pod demo/web could not be enrolled by the node agent: no ztunnel connected' },
    })
  })

  test('and is not is decided about as ever', async () => {
    const said = await asked(async () => 'not-ambient')
    expect(said).toMatchObject({ act: 'skip' })
    expect(JSON.stringify(said)).toContain('it does not have istio-proxy container')
  })

  test('is left to the plugin where it cannot be told', async () => {
    expect(await asked(async () => undefined)).toMatchObject({ act: 'refused', reason: 'ambient' })
  })
})
