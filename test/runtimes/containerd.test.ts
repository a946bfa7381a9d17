import { netns } from '@cni/netns'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectFrom, startApp, startProxy } from '../../packages/istio-redirect/src/testing/node/stand-ins.ts'
import { meshPod } from '../../packages/istio-redirect/src/testing/pods.ts'
import { DUAL_STACK } from '../../packages/istio-redirect/test/e2e/plugin/pod.ts'
import { rulesIn } from '../../packages/istio-redirect/test/stage/rules.ts'
import { startContainerd } from './node/containerd.ts'
import { type Container, type Kubelet, kubelet, type Sandbox } from './node/kubelet.ts'
import { SUBNETS } from './node/pod-network.ts'
import { type Stage, setStage } from './node/stage.ts'

const stack = new AsyncDisposableStack()
let stage: Stage
let node: Kubelet

beforeAll(async () => {
  stage = stack.use(await setStage({ first: 'bridge', families: 'dual stack' }))
  const containerd = stack.use(await startContainerd(stage))
  node = kubelet(containerd.cri)
  stack.defer(() => node.drain())
  stack.use(await startApp('host', { name: 'server', ports: [8000] }))
})
afterAll(() => stack.disposeAsync())

const captured = (listener: number, original_dst: string) => ({ served_by: 'proxy', listener, original_dst })

/** The answer to a connection from a container. */
const asks = async (container: Container, host: string, port: number): Promise<unknown> =>
  JSON.parse(await container.exec('timeout', '5', 'nc', host, String(port)))

describe.each([
  { first: 'bridge', families: 'IPv4' },
  { first: 'bridge', families: 'dual stack' },
  { first: 'ptp', families: 'IPv4' },
  { first: 'ptp', families: 'dual stack' },
] as const)('a mesh pod of containerd behind $first, host-local and portmap ($families)', (kind) => {
  const dual = kind.families === 'dual stack'
  const pods = new AsyncDisposableStack()
  let pod: Sandbox
  let user: Container
  let proxy: Container

  beforeAll(async () => {
    await node.untilLoaded(stage.use(kind))
    const stored = meshPod({ name: `web-${kind.first}-${dual ? 'dual' : 'ipv4'}`, ...(dual && { proxy: DUAL_STACK }) })
    stage.api.setPod(stored)
    const { name, annotations = {} } = stored.metadata
    pod = await node.run({ name, annotations, portMappings: [{ containerPort: 8080, hostPort: 18080 }] })
    pods.use(await startProxy(netns.open(pod.netns)))
    user = await pod.container(1000)
    proxy = await pod.container(1337)
  })
  afterAll(() => pods.disposeAsync())

  it('has an address of each family', () => {
    expect(pod.ips.map((ip) => (ip.includes(':') ? 'IPv6' : 'IPv4'))).toEqual(dual ? ['IPv4', 'IPv6'] : ['IPv4'])
    expect(stage.leases()).toHaveLength(pod.ips.length)
  })

  it('has the connections of its containers captured, with their original destination', async () => {
    expect(await asks(user, '203.0.113.7', 443)).toMatchObject(captured(15001, '203.0.113.7:443'))
    if (dual) expect(await asks(user, '2001:db8::7', 443)).toMatchObject(captured(15001, '[2001:db8::7]:443'))
    const { stdout } = await netns.exec(netns.open(pod.netns), [
      'conntrack',
      '-L',
      '-p',
      'tcp',
      '--orig-port-dst',
      '443',
    ])
    expect(stdout).toMatch(/dst=203\.0\.113\.7 .*dport=443 .*sport=15001 /)
  })

  it('does not capture the proxy’s own connections', async () => {
    expect(await asks(proxy, SUBNETS.gateway.ipv4, 8000)).toMatchObject({ served_by: 'server' })
    if (dual) expect(await asks(proxy, SUBNETS.gateway.ipv6, 8000)).toMatchObject({ served_by: 'server' })
  })

  it('captures connections to its addresses and its host port', async () => {
    const [ipv4 = '', ipv6 = ''] = pod.ips
    const exchanges = await connectFrom('host', 0, [
      { host: ipv4, port: 8080 },
      { host: '127.0.0.1', port: 18080 },
      ...(dual ? [{ host: ipv6, port: 8080 }] : []),
    ])
    expect(exchanges.map(({ answer }) => answer)).toMatchObject([
      captured(15006, `${ipv4}:8080`),
      captured(15006, `${ipv4}:8080`),
      ...(dual ? [captured(15006, `[${ipv6}]:8080`)] : []),
    ])
  })

  it('loses its rules and addresses when it is stopped; stop and remove may be repeated', async () => {
    using namespace = netns.open(pod.netns)
    expect(await rulesIn(namespace)).toContain('ISTIO_OUTPUT')
    await pods.disposeAsync()
    await pod.stop()
    expect(await rulesIn(namespace)).not.toContain('ISTIO_')
    expect(stage.leases()).toEqual([])
    expect(stage.stateFiles()).toEqual([])
    await pod.stop()
    await pod.remove()
    await pod.remove()
  })
})

describe('requests of a pod', () => {
  beforeAll(() => node.untilLoaded(stage.use({ first: 'bridge', families: 'dual stack' })))

  it('one request to the API server in the mesh', async () => {
    const stored = meshPod({ name: 'costs-one' })
    stage.api.setPod(stored)
    const before = stage.api.requests.length
    const pod = await node.run(stored.metadata)
    await pod.stop()
    await pod.remove()
    expect(stage.api.requests.slice(before).map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /api/v1/namespaces/demo/pods/costs-one',
    ])
  })

  it('no request outside the mesh if containerd passes the annotations', async () => {
    const before = stage.api.requests.length
    const pod = await node.run({ name: 'costs-none', annotations: { owner: 'shop' } })
    using namespace = netns.open(pod.netns)
    expect(await rulesIn(namespace)).not.toContain('ISTIO_')
    await pod.stop()
    await pod.remove()
    expect(stage.api.requests.slice(before)).toEqual([])
    expect(stage.stateFiles()).toEqual([])
  })
})

describe('eight pods at once', () => {
  it('each get addresses and rules of their own, and leave nothing', async () => {
    const stored = Array.from({ length: 8 }, (_, i) => meshPod({ name: `one-of-eight-${i}`, proxy: DUAL_STACK }))
    for (const pod of stored) stage.api.setPod(pod)
    const before = stage.api.requests.length
    const pods = await Promise.all(stored.map(({ metadata }) => node.run(metadata)))
    expect(new Set(pods.flatMap(({ ips }) => ips)).size).toBe(16)
    expect(stage.leases()).toHaveLength(16)
    expect(stage.stateFiles()).toHaveLength(8)
    expect(stage.api.requests.slice(before)).toHaveLength(8)
    const namespaces = pods.map((pod) => netns.open(pod.netns))
    for (const namespace of namespaces) {
      const rules = await rulesIn(namespace)
      expect(rules.match(/-A OUTPUT -j ISTIO_OUTPUT/g)).toHaveLength(2)
    }
    await Promise.all(pods.map((pod) => pod.stop().then(pod.remove)))
    for (const namespace of namespaces) {
      expect(await rulesIn(namespace)).not.toContain('ISTIO_')
      namespace.close()
    }
    expect(stage.leases()).toEqual([])
    expect(stage.stateFiles()).toEqual([])
  })
})
