import { request } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { mode } from '../../../istio-rules/test/ambient-pods.ts'
import { capturedBy, entriesOf } from './backends.ts'
import type { TestPod } from './mesh-node.ts'
import { annotated, pollOptions, servedNode } from './served-node.ts'

const redirection = 'ambient.istio.io/redirection'

let served: Awaited<ReturnType<typeof servedNode>>
/** `web` joins only by an event. The other pod may never join. */
let web: TestPod
let plain: TestPod

// One agent gets all requests of this file and has to survive them.
beforeAll(async () => {
  served = await servedNode()
  const { node } = served
  node.api.setNamespace('kube-system', { [mode]: 'ambient' })
  plain = await node.pod({ name: 'pl', namespace: 'plain' })
  web = await node.pod({ name: 'web', status: false, process: false })
  await node.pod({ name: 'dns', namespace: 'kube-system' })
})
afterAll(() => served[Symbol.asyncDispose]())

/** Sends a request with any method. */
const send = (body: string, { method = 'POST', path = '/cmdadd' } = {}) =>
  new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
    // A GET with a content-length has a body, too.
    const headers = { 'content-length': Buffer.byteLength(body) }
    const asked = request({ socketPath: served.node.eventSocket, method, path, headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece) => {
        text += piece
      })
      response.on('end', () => resolve({ status: response.statusCode, body: text }))
    })
    asked.on('error', reject).end(body)
  })

const ofWeb = (change: object = {}): string => JSON.stringify({ PodName: 'web', PodNamespace: 'shop', ...change })
const address = (ip: unknown) => ({ IPs: [{ Address: { IP: ip } }] })

describe('no pod is enrolled by', () => {
  let told: number
  beforeEach(() => {
    told = served.ztunnel.told.length
  })

  test.each([
    ['nothing', '', 400, 'unexpected end of JSON input\n'],
    ['half an object', '{', 400, 'unexpected end of JSON input\n'],
    ['something after the object', '{} y', 400, "invalid character 'y' after top-level value\n"],
    ['a list', '[]', 400, 'json: cannot unmarshal array into Go value of type CNIPluginAddEvent\n'],
    ['an address that is none', ofWeb(address('x')), 400, 'invalid IP address: x\n'],
    ['an address with a prefix length', ofWeb(address('10.0.0.1/24')), 400, 'invalid IP address: 10.0.0.1/24\n'],
    ['an address that is a number', ofWeb(address(7)), 400, /^json: cannot unmarshal number into Go struct field /],
    ['more than an event can be', ofWeb({ x: 'x'.repeat(70_000) }), 400, 'it is longer than 65536 bytes\n'],
    ['null', 'null', 500, 'failed to get pod /: failed to find pod /\n'],
    ['an empty object', '{}', 500, 'failed to get pod /: failed to find pod /\n'],
    ['no such pod', ofWeb({ PodName: 'zz' }), 500, 'failed to get pod shop/zz: failed to find pod shop/zz\n'],
    [
      'a name with control characters',
      ofWeb({ PodName: 'a\u001b[2J\n' }),
      500,
      /^failed to get pod shop\/a[\P{Cc}]+: failed to find pod shop\/a[\P{Cc}]+\n$/u,
    ],
    [
      'a pod outside of the mesh',
      '{"PodName":"pl","PodNamespace":"plain"}',
      500,
      'pod plain/pl is unexpectedly not eligible for ambient enrollment\n',
    ],
    [
      'a pod of an excluded namespace',
      '{"PodName":"dns","PodNamespace":"kube-system"}',
      500,
      'pod kube-system/dns is unexpectedly not eligible for ambient enrollment\n',
    ],
    [
      'a namespace that is not there',
      ofWeb({ Netns: '/netns/none' }),
      500,
      /^pod add cannot be retried: failed to open netns: /,
    ],
    [
      'a namespace that is a file',
      ofWeb({ Netns: '/sa/token' }),
      500,
      /^pod add cannot be retried: failed to open netns: /,
    ],
    [
      'a namespace with a nul in its name',
      ofWeb({ Netns: '/netns/\u0000' }),
      500,
      /^pod add cannot be retried: failed to open netns: /,
    ],
    [
      'the namespace of the node itself',
      ofWeb({ Netns: '/proc/1/ns/net' }),
      500,
      /^pod add cannot be retried: pod shop\/web: .* is the network namespace of the node itself\n$/,
    ],
    [
      'no namespace, and no process',
      ofWeb(address('10.20.0.9')),
      500,
      /^pod add cannot be retried: no process of pod shop\/web /,
    ],
  ])('an event with %s', async (_, body, status, text) => {
    const answer = await send(body)
    expect(answer.status).toBe(status)
    expect(answer.body).toEqual(typeof text === 'string' ? text : expect.stringMatching(text))
    expect(await entriesOf(served.node.netns, 'iptables-nft')).toEqual([])
    for (const pod of [web, plain]) expect(await capturedBy(pod.netns, 'iptables-nft')).toBe('no')
    expect(served.node.patches()).toEqual([])
    expect(served.ztunnel.told.slice(told).filter((line) => line.startsWith('add'))).toEqual([])
    expect(served.agent.problem()).toBeUndefined()
  })

  test.each([
    ['PUT', '/cmdadd', 500],
    ['GET', '/cmdadd', 500],
    ['POST', '/', 404],
    ['POST', '/cmdadd/../x', 404],
  ])('%s %s', async (method, path, status) => {
    expect(await send('{}', { method, path })).toMatchObject({ status })
    expect(await entriesOf(served.node.netns, 'iptables-nft')).toEqual([])
  })
})

describe('a pod is enrolled', () => {
  test.each([
    ['by PUT, with keys in lower case', 'PUT', (pod: TestPod) => ({ podname: pod.name, podnamespace: 'shop' }), false],
    [
      'without addresses, which its status tells later',
      'POST',
      (pod: TestPod) => ({ PodName: pod.name, PodNamespace: 'shop', IPs: null }),
      false,
    ],
    [
      'with an address of IPv4 in IPv6 notation',
      'POST',
      (pod: TestPod) => ({ PodName: pod.name, PodNamespace: 'shop', ...address(`::ffff:${pod.addresses[0]}`) }),
      true,
    ],
  ] as const)('%s', async (_, method, event, hasEntry) => {
    const pod = await served.node.pod({
      name: `late-${method}-${hasEntry}`.toLowerCase(),
      status: false,
      process: false,
    })
    const [ipv4 = ''] = pod.addresses
    const body = JSON.stringify({ ...event(pod), netns: `/netns/${pod.uid}` })
    expect(await send(body, { method })).toEqual({ status: 200, body: '' })
    expect(pod.annotation()).toBe('enabled')
    const own = async () =>
      (await entriesOf(served.node.netns, 'iptables-nft')).filter((line) => line.endsWith(pod.uid))
    expect(await own()).toEqual(hasEntry ? [`${ipv4} ${pod.uid}`] : [])
    pod.change({ status: { phase: 'Running', podIP: ipv4, podIPs: [{ ip: ipv4 }] } })
    await expect.poll(own, pollOptions).toEqual([`${ipv4} ${pod.uid}`])
  })

  test('with any invalid annotation, except invalid interfaces, which the answer reports', async () => {
    const annotations = { 'ambient.istio.io/bypass-inbound-capture': 'perhaps', 'ambient.istio.io/dns-capture': '' }
    const odd = await served.node.pod({ name: 'odd', annotations, status: false })
    expect((await served.node.hand(odd)).status).toBe(200)
    expect(await capturedBy(odd.netns, 'iptables-nft')).toBe('wholly')
    expect(served.node.log.join('\n')).toMatch(/warn .*bypass-inbound-capture.*perhaps/)
    const interfaces = { 'istio.io/reroute-virtual-interfaces': 'eth0,-j ACCEPT' }
    const bad = await served.node.pod({ name: 'bad', annotations: interfaces, status: false })
    const answer = await served.node.hand(bad)
    expect(answer).toMatchObject({
      status: 500,
      body: expect.stringMatching(/^pod add cannot be retried: .*-j ACCEPT/),
    })
    expect(await capturedBy(bad.netns, 'iptables-nft')).toBe('no')
    expect(bad.annotation()).toBeUndefined()
  })

  test.each(['enabled', 'pending', 'disabled', '', 'a long text '.repeat(9)])(
    'and outside of the mesh none is by %j',
    async (value) => {
      plain.change({ annotations: { [redirection]: value } })
      const says = value === 'enabled' || value === 'pending' ? undefined : value
      await annotated(plain, says)
      expect(await capturedBy(plain.netns, 'iptables-nft')).toBe('no')
      expect(served.ztunnel.pods.has(plain.uid)).toBe(false)
    },
  )

  test('without the invalid addresses of its status', async () => {
    const pod = await served.node.pod({ name: 'mixed', status: false })
    const [ipv4 = ''] = pod.addresses
    const podIPs = [{ ip: 'x' }, { ip: ipv4 }, { ip: `${ipv4}/24` }, { ip: 7 }, null]
    pod.change({ status: { phase: 'Running', podIP: 'x', podIPs } })
    await annotated(pod, 'enabled')
    const own = (await entriesOf(served.node.netns, 'iptables-nft')).filter((line) => line.endsWith(pod.uid))
    expect(own).toEqual([`${ipv4} ${pod.uid}`])
  })
})
