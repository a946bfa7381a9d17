import { netns } from '@cni/netns'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GATEWAY } from '../../../src/testing/node/node.ts'
import { connectFrom, startApp, startProxy, type User } from '../../../src/testing/node/stand-ins.ts'
import { meshPod } from '../../../src/testing/pods.ts'
import { ANY_RUNTIME } from '../../stage/executables.ts'
import { DUAL_STACK, type TestBed, testBed } from './pod.ts'

const POD = meshPod({
  annotations: {
    'traffic.sidecar.istio.io/excludeOutboundPorts': ' 9090 , 15020',
    'traffic.sidecar.istio.io/excludeInboundPorts': '8081',
    'traffic.sidecar.istio.io/excludeOutboundIPRanges': '10.222.9.0/24',
  },
  proxy: DUAL_STACK,
})
const captured = (listener: number, original_dst: string) => ({ served_by: 'proxy', listener, original_dst })

const BACKENDS = [
  ['iptables', {}],
  ['native nftables', { native_nftables: true }],
] as const
const cases = ANY_RUNTIME.flatMap(([runtime, plugin]) =>
  BACKENDS.map(([rules, conf]) => ({ runtime, plugin, rules, conf })),
)

describe.each(cases)('a pod redirected by the plugin ($runtime, $rules)', ({ plugin, rules, conf }) => {
  const stack = new AsyncDisposableStack()
  let bed: TestBed
  let ips: { ipv4: string; ipv6: string }

  beforeAll(async () => {
    bed = stack.use(await testBed(plugin, { pod: POD, conf }))
    ips = await bed.add()
    // Another network of the node, which the pod's annotation excludes.
    await netns.exec(bed.nodeNetns, ['ip', 'address', 'add', '10.222.9.1/24', 'dev', 'lo'])
    stack.use(await startProxy(bed.pod))
    stack.use(await startApp(bed.pod, { name: 'app', ports: [8080, 8081, 15020, 15021, 15090] }))
    stack.use(await startApp(bed.nodeNetns, { name: 'server', ports: [8000, 9090] }))
  })
  afterAll(() => stack.disposeAsync())

  /** Connects to each destination in turn. */
  const answers = async (
    from: 'pod' | 'node',
    user: User,
    ...to: readonly (readonly [host: string, port: number])[]
  ) => {
    const destinations = to.map(([host, port]) => ({ host, port }))
    const exchanges = await connectFrom(from === 'pod' ? bed.pod : bed.nodeNetns, user, destinations)
    return exchanges.map(({ answer, error }) => answer ?? error)
  }
  const served = (served_by: string, listener: number) => ({ served_by, listener })

  it('has its rules in the requested back end', async () => {
    expect((await bed.save()).includes('ISTIO_OUTPUT')).toBe(rules === 'iptables')
  })

  it.each([
    ['an ordinary user', 1000],
    ['root', 0],
  ])('captures connections of %s to any address, over IPv4 and IPv6', async (_, user) => {
    const to = [
      ['203.0.113.7', 443],
      [GATEWAY.ipv4, 8000],
      ['2001:db8::7', 443],
    ] as const
    expect(await answers('pod', user, ...to)).toMatchObject([
      captured(15001, '203.0.113.7:443'),
      captured(15001, `${GATEWAY.ipv4}:8000`),
      captured(15001, '[2001:db8::7]:443'),
    ])
  })

  it.each([
    ['uid 1337', { uid: 1337, gid: 1000 }],
    ['gid 1337', { uid: 1000, gid: 1337 }],
  ])('lets %s through, over IPv4 and IPv6', async (_, user) => {
    const server = served('server', 8000)
    expect(await answers('pod', user, [GATEWAY.ipv4, 8000], [GATEWAY.ipv6, 8000])).toMatchObject([server, server])
  })

  it('lets outbound traffic to an excluded port, and to an excluded range, through', async () => {
    expect(await answers('pod', 1000, [GATEWAY.ipv4, 9090], ['10.222.9.1', 8000])).toMatchObject([
      served('server', 9090),
      served('server', 8000),
    ])
  })

  it('captures inbound traffic, over IPv4 and IPv6', async () => {
    expect(await answers('node', 0, [ips.ipv4, 8080], [ips.ipv6, 8080])).toMatchObject([
      captured(15006, `${ips.ipv4}:8080`),
      captured(15006, `[${ips.ipv6}]:8080`),
    ])
  })

  it('lets inbound traffic to an excluded port through to the application', async () => {
    const ports = [8081, 15020, 15021, 15090]
    const to = [ips.ipv4, ips.ipv6].flatMap((host) => ports.map((port) => [host, port] as const))
    expect(await answers('node', 0, ...to)).toMatchObject(to.map(([, port]) => served('app', port)))
  })

  it('leaves the pod’s own loopback alone', async () => {
    const app = served('app', 8080)
    expect(await answers('pod', 1000, ['127.0.0.1', 8080], ['::1', 8080])).toMatchObject([app, app])
  })
})
