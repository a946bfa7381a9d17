import { fileURLToPath } from 'node:url'
import { run } from '@cni/host'
import { netns } from '@cni/netns'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NODE } from '../../../test/node.ts'
import { iptablesSide } from '../src/iptables/iptables-side.ts'
import type { KernelSide } from '../src/kernel-side.ts'
import { tunnelKind } from './kinds.ts'
import { addresses, type PtpNode, ptpNode } from './ptp-node.ts'

describe('drift() reports and heal() restores', () => {
  let stack: AsyncDisposableStack
  let node: PtpNode
  let side: KernelSide
  beforeAll(async () => {
    stack = new AsyncDisposableStack()
    node = stack.use(await ptpNode())
    const tunnel = await tunnelKind()
    // Change detection is on, as in an agent.
    side = iptablesSide({ netns: node.at.node, hostIp: addresses.node, tunnel, backend: 'iptables-nft' })
    await side.start(node.ztunnel)
    await side.addPod({ uid: 'app', addresses: [addresses.app] })
    expect(await side.drift()).toEqual([])
  })
  afterAll(async () => {
    side[Symbol.dispose]()
    await stack.disposeAsync()
  })

  test.each<[string, 'node' | 'zt', string, RegExp]>([
    [
      'a rule',
      'node',
      'iptables -t mangle -D ztunnel-PREROUTING 4',
      /missing ipv4 mangle: -A ztunnel-PREROUTING -i istioout -j RETURN/,
    ],
    ['a chain', 'node', 'iptables -t filter -F ztunnel-FORWARD', /missing ipv4 filter: -A ztunnel-FORWARD/],
    ['a hook', 'node', 'iptables -t nat -D PREROUTING -j ztunnel-PREROUTING', /missing ipv4 nat: -A PREROUTING/],
    ['a foreign rule', 'node', 'iptables -t mangle -I ztunnel-PREROUTING -j ACCEPT', /unexpected.*ACCEPT/],
    ['an entry', 'node', `ipset del ztunnel-pods-ips ${addresses.app}`, /missing 10\.60\.0\.3 of pod app/],
    ['an entry of another pod', 'node', `ipset add -exist ztunnel-pods-ips ${addresses.app} comment x`, /of pod app/],
    ['a foreign entry', 'node', 'ipset add ztunnel-pods-ips 10.9.9.9', /unexpected 10\.9\.9\.9 of pod \(unknown\)/],
    ['a route of a pod', 'node', `ip route del table 100 ${addresses.app}`, /missing route table 100 10\.60\.0\.3/],
    ['a route with another link', 'node', 'ip route replace table 101 default dev uplink', /route table 101 0\.0/],
    ['a foreign route', 'node', 'ip route add table 101 10.9.0.0/16 dev uplink', /unexpected route table 101 10\.9/],
    ['a foreign rule for our tables', 'node', 'ip rule add from 10.9.0.1 lookup 100', /unexpected rule .*10\.9\.0\.1/],
    ['a policy rule', 'node', 'ip rule del priority 100', /missing rule priority 100 .* goto 32766/],
    ['a tunnel', 'node', 'ip link del istioin', /missing tunnel istioin/],
    ['a tunnel that is down', 'node', 'ip link set istioout down', /istioout is down/],
    ['an address', 'node', 'ip addr flush dev istioin', /missing address 192\.168\.126\.1/],
    ['a setting', 'node', 'sysctl -qw net.ipv4.conf.vzt.rp_filter=1', /rp_filter=0 is 1/],
    ['a tunnel of ztunnel', 'zt', 'ip link del pistioout', /ztunnel: missing tunnel pistioout/],
    ['a rule of ztunnel', 'zt', 'iptables -t mangle -D PREROUTING 2', /ztunnel: .*15001/],
    ['a route of ztunnel', 'zt', 'ip route flush table 100', /ztunnel: missing route table 100 local/],
    ['a policy rule of ztunnel', 'zt', 'ip rule del priority 20000', /ztunnel: missing rule priority 20000/],
  ])('%s', async (_, where, command, told) => {
    await netns.exec(node.at[where], ['sh', '-c', command])
    const drift = await side.drift()
    expect(drift.join('\n')).toMatch(told)
    expect((await side.heal()).changed.join('\n')).toMatch(told)
    expect(await side.drift()).toEqual([])
  })

  test('the set, with all rules that refer to it', async () => {
    await netns.exec(node.at.node, ['iptables', '-t', 'mangle', '-F', 'ztunnel-PREROUTING'])
    await netns.exec(node.at.node, ['iptables', '-t', 'nat', '-F', 'ztunnel-PREROUTING'])
    await expect
      .poll(() =>
        netns.exec(node.at.node, ['ipset', 'destroy', 'ztunnel-pods-ips']).then(
          () => 1,
          () => 0,
        ),
      )
      .toBe(1)
    expect(await side.drift()).toContain('missing set ztunnel-pods-ips')
    await side.heal()
    expect(await side.drift()).toEqual([])
    expect(await side.listPods()).toEqual([{ address: addresses.app, uid: 'app' }])
  })
})

test.each<[string, string, RegExp]>([
  ['routes', 'ip route add table 100 default dev uplink', /ip route table 100 0\.0\.0\.0\/0 dev uplink/],
  ['policy rules', 'ip rule add from 10.9.0.1 lookup 101', /from 10\.9\.0\.1\/32 lookup 101/],
  ['links', 'ip link add istioout type bridge', /a link istioout that is not a tunnel \(bridge\)/],
])('start() rejects a node where another program uses our %s, and changes nothing', async (_, command, message) => {
  await using node = await ptpNode()
  await netns.exec(node.at.node, ['sh', '-c', command])
  const look = async () => [
    await node.ip('rule'),
    await node.ip('route', 'show', 'table', 'all'),
    await node.ip('-br', 'link'),
  ]
  const before = await look()
  const side = iptablesSide({ netns: node.at.node, hostIp: addresses.node, tunnel: await tunnelKind() })
  await expect(side.start(node.ztunnel)).rejects.toMatchObject({
    code: 'FOREIGN',
    message: expect.stringMatching(message),
  })
  expect(await look()).toEqual(before)
  await side.stop()
  expect(await look()).toEqual(before)
})

test('start() reports read-only settings, as in an unprivileged container, and leaves nothing', async () => {
  const script = fileURLToPath(new URL('start-read-only.ts', import.meta.url))
  const { stdout } = await run(['unshare', '--mount', '--propagation', 'private', ...NODE, script])
  expect(JSON.parse(stdout)).toEqual({
    error: expect.stringMatching(/Set sysctl "net.*" to "[01]": EROFS, \/proc\/sys is mounted read-only/),
    isLeft: false,
  })
})
