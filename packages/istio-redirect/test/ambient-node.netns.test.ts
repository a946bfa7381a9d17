import { spawnSync } from 'node:child_process'
import { defaultProbeSource, nodeProbes } from '@cni/istio-redirect/agent'
import { type NetnsTarget, netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { describe, expect, test } from 'vitest'

const ways = [
  { backend: 'nft', programs: 'auto' },
  { backend: 'nft', programs: 'always' },
  { backend: 'legacy', programs: 'auto' },
] as const

const dual = { ipv6: true, probeSource: defaultProbeSource }
const uid = '55efbedd-5af0-4fb0-b896-61604f0b0b53'

function inside(node: NetnsTarget, ...[program, ...args]: [string, ...string[]]): string {
  const { status, stdout, stderr } = netns.run(node, () => spawnSync(program, args, { encoding: 'utf8' }))
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`)
  return stdout
}

const rulesIn = (node: NetnsTarget, backend: 'nft' | 'legacy') => ({
  ipv4: inside(node, `iptables-${backend}-save`).match(/^(?:-A|:ISTIO).*/gm) ?? [],
  ipv6: inside(node, `ip6tables-${backend}-save`).match(/^(?:-A|:ISTIO).*/gm) ?? [],
})
const setsIn = (node: NetnsTarget): string[] =>
  inside(node, 'ipset', 'save')
    .split('\n')
    .filter(Boolean)
    .map((line) => line.replace(/ (?:bucketsize|initval) \S+/g, ''))
    .toSorted()

/** As the original leaves a node. */
const listed = {
  ipv4: [
    ':ISTIO_POSTRT - [0:0]',
    '-A POSTROUTING -j ISTIO_POSTRT',
    '-A ISTIO_POSTRT -p tcp -m owner --socket-exists -m set --match-set istio-inpod-probes-v4 dst -j SNAT --to-source 169.254.7.127',
  ],
  ipv6: [
    ':ISTIO_POSTRT - [0:0]',
    '-A POSTROUTING -j ISTIO_POSTRT',
    '-A ISTIO_POSTRT -p tcp -m owner --socket-exists -m set --match-set istio-inpod-probes-v6 dst -j SNAT --to-source fd16:9254:7127:1337:ffff:ffff:ffff:ffff',
  ],
}
const createV4 = 'create istio-inpod-probes-v4 hash:ip family inet hashsize 1024 maxelem 65536 comment'
const createV6 = 'create istio-inpod-probes-v6 hash:ip family inet6 hashsize 1024 maxelem 65536 comment'

describe.each(ways)('on a node whose rules are written by $backend ($programs)', (how) => {
  test('rules and sets are listed as those of the original', async () => {
    await using node = await tempNetns()
    const probes = nodeProbes(dual, { netns: node, ...how })
    expect(await probes.apply()).toMatchObject({ plan: 'fresh' })
    await probes.sets.put(uid, ['10.50.0.15', 'fd50::d'])
    expect(rulesIn(node, how.backend)).toEqual(listed)
    expect(setsIn(node)).toEqual([
      `add istio-inpod-probes-v4 10.50.0.15 comment "${uid}"`,
      `add istio-inpod-probes-v6 fd50::d comment "${uid}"`,
      createV4,
      createV6,
    ])
    expect(await probes.drift()).toEqual([])
  })

  test('a restart leaves rules and entries alone', async () => {
    await using node = await tempNetns()
    const before = nodeProbes(dual, { netns: node, ...how })
    await before.apply()
    await before.sets.put(uid, ['10.50.0.15'])
    const after = nodeProbes(dual, { netns: node, ...how })
    expect(await after.apply()).toMatchObject({ plan: 'unchanged' })
    expect(await after.sets.sync(new Map([[uid, ['10.50.0.15']]]))).toEqual({ added: [], removed: [] })
  })

  test('the rule comes before those that others wrote', async () => {
    await using node = await tempNetns()
    inside(node, `iptables-${how.backend}`, '-t', 'nat', '-A', 'POSTROUTING', '-j', 'MASQUERADE')
    await nodeProbes(dual, { netns: node, ...how }).apply()
    expect(rulesIn(node, how.backend).ipv4).toEqual([
      ':ISTIO_POSTRT - [0:0]',
      '-A POSTROUTING -j ISTIO_POSTRT',
      '-A POSTROUTING -j MASQUERADE',
      listed.ipv4[2],
    ])
  })

  test('what somebody took away is told, and put back with its entries', async () => {
    await using node = await tempNetns()
    const probes = nodeProbes(dual, { netns: node, ...how })
    await probes.apply()
    await probes.sets.put(uid, ['10.50.0.15'])
    inside(node, `iptables-${how.backend}`, '-t', 'nat', '-D', 'POSTROUTING', '-j', 'ISTIO_POSTRT')
    inside(node, `ip6tables-${how.backend}`, '-t', 'nat', '-F', 'ISTIO_POSTRT')
    inside(node, 'ipset', 'destroy', 'istio-inpod-probes-v6')
    inside(node, 'ipset', 'flush', 'istio-inpod-probes-v4')
    const drift = await probes.drift()
    expect(drift).toContain('missing set istio-inpod-probes-v6')
    expect(drift).toContain('missing ipv4 nat: -A POSTROUTING -j ISTIO_POSTRT')
    expect(await probes.apply()).toMatchObject({ plan: 'reconcile' })
    const { added } = await probes.sets.sync(new Map([[uid, ['10.50.0.15']]]))
    expect(added).toEqual([{ address: '10.50.0.15', uid }])
    expect(await probes.drift()).toEqual([])
    expect(rulesIn(node, how.backend)).toEqual(listed)
  })

  test('nothing of IPv6 is there without it, nor stays when it is switched off', async () => {
    await using node = await tempNetns()
    await nodeProbes(dual, { netns: node, ...how }).apply()
    const probes = nodeProbes({ ...dual, ipv6: false }, { netns: node, ...how })
    await probes.apply()
    expect(rulesIn(node, how.backend)).toEqual({ ipv4: listed.ipv4, ipv6: [] })
    expect(setsIn(node)).toEqual([createV4])
    expect(await probes.drift()).toEqual([])
  })

  test('nothing stays after removal, nor is it an error to remove nothing', async () => {
    await using node = await tempNetns()
    const probes = nodeProbes(dual, { netns: node, ...how })
    await probes.apply()
    await probes.sets.put(uid, ['10.50.0.15', 'fd50::d'])
    await probes.remove()
    expect(rulesIn(node, how.backend)).toEqual({ ipv4: [], ipv6: [] })
    expect(setsIn(node)).toEqual([])
    await probes.remove()
  })
})
