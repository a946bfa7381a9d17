import { netns, sysctl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { expect, test } from 'vitest'
import { driftCache } from '../src/drift-cache.ts'
import { iptablesSide } from '../src/iptables/iptables-side.ts'
import { tunnelKind } from './kinds.ts'
import { addresses, ptpNode } from './ptp-node.ts'

test('isStill() is true until something changes in a namespace, and for at most nine calls', async () => {
  await using one = await tempNetns()
  await using other = await tempNetns()
  for (const each of [one, other]) await netns.exec(each, ['ip', 'link', 'add', 'd0', 'type', 'bridge'])
  using cache = driftCache([one, other], { backend: 'iptables-nft' })
  const looks = (): number => {
    let count = 0
    while (cache.isUnchanged()) count += 1
    return count
  }
  expect(looks()).toBe(0)
  cache.remember(false)
  expect(looks()).toBe(0)
  cache.remember(true)
  expect(looks()).toBe(9)
  const changes = [
    'ip link set d0 up',
    'ip addr add 10.9.0.1/24 dev d0',
    'ip route add 10.8.0.0/16 dev d0 table 100',
    'ip route del 10.8.0.0/16 table 100',
    'ip rule add priority 103 lookup 100',
    'sysctl -qw net.ipv4.conf.d0.rp_filter=1',
    'iptables-nft -t mangle -N x',
    'ip link del d0',
  ]
  const unseen: string[] = []
  for (const where of [one, other]) {
    for (const change of changes) {
      cache.remember(true)
      expect(cache.isUnchanged()).toBe(true)
      await netns.exec(where, ['sh', '-c', change])
      if (cache.isUnchanged()) unseen.push(change)
    }
  }
  expect(unseen).toEqual([])
})

test('changes of filters are detected with the option filters, and changes of rules only with the option rules', async () => {
  await using one = await tempNetns()
  await netns.exec(one, ['ip', 'link', 'add', 'd0', 'type', 'bridge'])
  using cache = driftCache([one], { rules: false, filters: true })
  cache.isUnchanged()
  const isSeen = async (change: string): Promise<boolean> => {
    cache.remember(true)
    await netns.exec(one, ['sh', '-c', change])
    return !cache.isUnchanged()
  }
  expect(await isSeen('iptables-nft -t mangle -N x')).toBe(false)
  const filter = 'dev d0 ingress prio 7 protocol ip u32'
  for (const change of [
    'qdisc add dev d0 clsact',
    `filter add ${filter} match u32 0 0`,
    'filter del dev d0 ingress prio 7',
  ])
    expect([change, await isSeen(`tc ${change}`)]).toEqual([change, true])
  expect(await isSeen('tc qdisc del dev d0 clsact')).toBe(true)
})

test('isStill() is false for legacy iptables, and after disposal', async () => {
  await using one = await tempNetns()
  using legacy = driftCache([one], { backend: 'iptables-legacy' })
  const closed = driftCache([one], { backend: 'iptables-nft' })
  closed[Symbol.dispose]()
  for (const each of [legacy, closed]) {
    each.remember(true)
    expect(each.isUnchanged()).toBe(false)
  }
})

test('drift() finds a changed setting without a kernel event within ten calls', async () => {
  await using node = await ptpNode()
  using side = iptablesSide({
    netns: node.at.node,
    hostIp: addresses.node,
    tunnel: await tunnelKind(),
    backend: 'iptables-nft',
  })
  await side.start(node.ztunnel)
  expect(await side.drift()).toEqual([])
  await sysctl(node.at.node).set('net/ipv4/conf/vzt/accept_local', '0')
  let looks = 0
  let drift: readonly string[] = []
  while (drift.length === 0 && looks < 10) {
    drift = await side.drift()
    looks += 1
  }
  expect(drift).toEqual(['setting net/ipv4/conf/vzt/accept_local=1 is 0'])
  await side.heal()
  expect(await side.drift()).toEqual([])
})
