import { spawnSync } from 'node:child_process'
import type { IptablesBackend } from '@cni/iptables'
import type { NetnsTarget } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { describe, expect, test } from 'vitest'
import { defaultProbeSource } from '../../../../istio-rules/src/ambient/pod-rules.ts'
import { nodeProbes } from '../../../src/agent/ambient/node/node-probes.ts'
import { inside as run } from '../../stage/inside.ts'

const ways = [
  { backend: 'iptables-nft', programs: 'auto' },
  { backend: 'iptables-nft', programs: 'always' },
  { backend: 'iptables-legacy', programs: 'auto' },
] as const

const dual = { ipv6: true, probeSource: defaultProbeSource }
const uid = '55efbedd-5af0-4fb0-b896-61604f0b0b53'

const inside = (node: NetnsTarget, ...argv: [string, ...string[]]): string => run(node, argv)

const rulesIn = (node: NetnsTarget, backend: IptablesBackend) => ({
  ipv4: inside(node, `${backend}-save`).match(/^(?:-A|:ISTIO).*/gm) ?? [],
  ipv6: inside(node, `${backend.replace('ip', 'ip6')}-save`).match(/^(?:-A|:ISTIO).*/gm) ?? [],
})
const setsIn = (node: NetnsTarget): string[] =>
  inside(node, 'ipset', 'save')
    .split('\n')
    .filter(Boolean)
    .map((line) => line.replace(/ (?:bucketsize|initval) \S+/g, ''))
    .toSorted()

/** Listings of a node in Istio's ambient mode. */
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
  test('rules and sets are listed as Istio’s', async () => {
    await using node = await tempNetns()
    const probes = nodeProbes(dual, { netns: node, ...how })
    expect(await probes.apply()).toBe('fresh')
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
    expect(await after.apply()).toBe('unchanged')
    expect(await after.sets.sync(new Map([[uid, ['10.50.0.15']]]))).toEqual({ added: [], removed: [] })
  })

  test('our rule comes before foreign rules', async () => {
    await using node = await tempNetns()
    inside(node, how.backend, '-t', 'nat', '-A', 'POSTROUTING', '-j', 'MASQUERADE')
    await nodeProbes(dual, { netns: node, ...how }).apply()
    expect(rulesIn(node, how.backend).ipv4).toEqual([
      ':ISTIO_POSTRT - [0:0]',
      '-A POSTROUTING -j ISTIO_POSTRT',
      '-A POSTROUTING -j MASQUERADE',
      listed.ipv4[2],
    ])
  })

  test('a removed rule or set is reported, and restored with its entries', async () => {
    await using node = await tempNetns()
    const probes = nodeProbes(dual, { netns: node, ...how })
    await probes.apply()
    await probes.sets.put(uid, ['10.50.0.15'])
    inside(node, how.backend, '-t', 'nat', '-D', 'POSTROUTING', '-j', 'ISTIO_POSTRT')
    inside(node, how.backend.replace('ip', 'ip6'), '-t', 'nat', '-F', 'ISTIO_POSTRT')
    inside(node, 'ipset', 'destroy', 'istio-inpod-probes-v6')
    inside(node, 'ipset', 'flush', 'istio-inpod-probes-v4')
    const drift = await probes.drift()
    expect(drift).toContain('missing set istio-inpod-probes-v6')
    expect(drift).toContain('missing ipv4 nat: -A POSTROUTING -j ISTIO_POSTRT')
    expect(await probes.apply()).toBe('reconcile')
    const { added } = await probes.sets.sync(new Map([[uid, ['10.50.0.15']]]))
    expect(added).toEqual([{ address: '10.50.0.15', uid }])
    expect(await probes.drift()).toEqual([])
    expect(rulesIn(node, how.backend)).toEqual(listed)
  })

  test('there are no IPv6 rules without IPv6, and switching IPv6 off removes them', async () => {
    await using node = await tempNetns()
    await nodeProbes(dual, { netns: node, ...how }).apply()
    const probes = nodeProbes({ ...dual, ipv6: false }, { netns: node, ...how })
    await probes.apply()
    expect(rulesIn(node, how.backend)).toEqual({ ipv4: listed.ipv4, ipv6: [] })
    expect(setsIn(node)).toEqual([createV4])
    expect(await probes.drift()).toEqual([])
  })

  test('removal leaves nothing, and may be repeated', async () => {
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

const { stdout: version } = spawnSync('nft', ['--version'], { encoding: 'utf8' })
/** True if `nft` has the version that made the listings. */
const hasNft = typeof version === 'string' && version.includes('v1.0.6')
const noNft = hasNft ? '' : ' (skipped: nft 1.0.6 is not installed)'

describe.skipIf(!hasNft)(`on a node whose rules are native${noNft}`, () => {
  const native = { native: { kubeletUid: 0 } } as const
  const list = (node: NetnsTarget) => inside(node, 'nft', '-s', 'list', 'ruleset')

  const set = (family: 'v4' | 'v6', ...elements: readonly string[]) => `
	set istio-inpod-probes-${family} {
		type ip${family}_addr
		comment "UUID of the pods that are part of ambient mesh"
${elements.length === 0 ? '' : `\t\telements = { ${elements.join(',\n\t\t\t     ')} }\n`}	}
`
  const listing = (sets: string, ...rules: readonly string[]) => `table inet istio-ambient-nat {${sets}
	chain postrouting {
		type nat hook postrouting priority srcnat; policy accept;
${rules.map((rule) => `\t\t${rule}\n`).join('')}	}
}
`
  const v4Rule = 'meta l4proto tcp meta skuid 0 ip daddr @istio-inpod-probes-v4 counter snat ip to 169.254.7.127'
  const v6Rule =
    'meta l4proto tcp meta skuid 0 ip6 daddr @istio-inpod-probes-v6 counter snat ip6 to fd16:9254:7127:1337:ffff:ffff:ffff:ffff'

  test('rules and sets are listed as Istio’s', async () => {
    await using node = await tempNetns()
    const probes = nodeProbes(dual, { netns: node, ...native })
    expect(await probes.apply()).toBe('fresh')
    expect(list(node)).toBe(listing(set('v4') + set('v6'), v4Rule, v6Rule))
    await probes.sets.put(uid, ['10.50.0.46', 'fd50::2c'])
    const sets = set('v4', `10.50.0.46 comment "${uid}"`) + set('v6', `fd50::2c comment "${uid}"`)
    expect(list(node)).toBe(listing(sets, v4Rule, v6Rule))
    expect(await probes.drift()).toEqual([])
  })

  test('the table of Istio stays, with its entries', async () => {
    await using node = await tempNetns()
    const sets = set('v4', `10.50.0.46 comment "${uid}"`) + set('v6')
    run(node, ['nft', '-f', '-'], listing(sets, v4Rule, v6Rule))
    const probes = nodeProbes(dual, { netns: node, ...native })
    expect(await probes.apply()).toBe('unchanged')
    expect(await probes.sets.sync(new Map([[uid, ['10.50.0.46']]]))).toEqual({ added: [], removed: [] })
  })

  test('rules are repaired, also for another user, and the entries stay', async () => {
    await using node = await tempNetns()
    const probes = nodeProbes(dual, { netns: node, ...native })
    await probes.apply()
    await probes.sets.put(uid, ['10.50.0.46'])
    inside(node, 'nft', 'flush chain inet istio-ambient-nat postrouting')
    expect((await probes.drift()).join()).toContain('missing rule in table inet istio-ambient-nat')
    expect(await probes.apply()).toBe('replace')
    const another = nodeProbes(dual, { netns: node, native: { kubeletUid: 1001 } })
    expect(await another.apply()).toBe('replace')
    expect(list(node)).toContain('meta skuid 1001')
    expect(await another.sets.list()).toEqual([{ address: '10.50.0.46', uid }])
    await nodeProbes({ ...dual, ipv6: false }, { netns: node, ...native }).apply()
    expect(list(node)).toBe(listing(set('v4', `10.50.0.46 comment "${uid}"`), v4Rule))
  })

  test('an address that another pod takes over stays with the new pod', async () => {
    await using node = await tempNetns()
    const { apply, sets } = nodeProbes(dual, { netns: node, ...native })
    await apply()
    await sets.put(uid, ['10.50.0.46', 'fd50::2c'])
    await Promise.all([sets.put('uid-b', ['10.50.0.46']), sets.drop(uid)])
    expect(await sets.list()).toEqual([{ address: '10.50.0.46', uid: 'uid-b' }])
    const pods = new Map([
      ['uid-b', ['10.50.0.47']],
      [uid, ['fd50::2c']],
    ])
    expect(await sets.sync(pods)).toEqual({
      added: [
        { address: '10.50.0.47', uid: 'uid-b' },
        { address: 'fd50::2c', uid },
      ],
      removed: [{ address: '10.50.0.46', uid: 'uid-b' }],
    })
    expect(await sets.sync(pods)).toEqual({ added: [], removed: [] })
  })

  test.each([
    ['iptables', {}, native],
    ['native', native, {}],
  ])('the rules of the other back end are removed when it becomes %s', async (_, next, before) => {
    await using node = await tempNetns()
    const former = nodeProbes(dual, { netns: node, ...before })
    await former.apply()
    await former.sets.put(uid, ['10.50.0.46'])
    const probes = nodeProbes(dual, { netns: node, ...next })
    expect((await probes.drift()).join()).toContain('unexpected')
    await probes.apply()
    expect(await probes.drift()).toEqual([])
    const isNative = 'native' in next
    expect([
      list(node).includes('istio-ambient-nat'),
      rulesIn(node, 'iptables-nft').ipv4.length,
      setsIn(node).length,
    ]).toEqual(isNative ? [true, 0, 0] : [false, listed.ipv4.length, 2])
    await probes.remove()
    expect([list(node).includes('istio'), setsIn(node)]).toEqual([false, []])
  })
})
