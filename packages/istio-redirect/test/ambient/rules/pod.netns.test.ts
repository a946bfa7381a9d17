import { spawnSync } from 'node:child_process'
import type { IptablesBackend } from '@cni/iptables'
import type { NetnsTarget } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { openNft } from '@cni/nftables/wire'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  captures,
  everything,
  listing,
  nativeCaptures,
  nativeListing,
} from '../../../../istio-rules/test/goldens/ambient/cases.ts'
import {
  enrolNamespace,
  namespaceDrift,
  releaseNamespace,
  routeDrift,
} from '../../../src/agent/ambient/namespace/enrol-namespace.ts'
import type { RulesOptions } from '../../../src/agent/ambient/rules/installed-rules.ts'
import { inside } from '../../stage/inside.ts'

const { stdout: version } = spawnSync('nft', ['--version'], { encoding: 'utf8' })
/** True if `nft` has the version that made the listings. */
const hasNft = typeof version === 'string' && version.includes('v1.0.6')
const noNft = hasNft ? '' : ' (skipped: nft 1.0.6 is not installed)'

const families = ['ipv4', 'ipv6'] as const
type Family = (typeof families)[number]

const programOf = (family: Family, backend: IptablesBackend): string =>
  family === 'ipv4' ? backend : backend.replace('ip', 'ip6')

/** Rules as in the listings: tables by name, without comments and policies. An empty match of tcp is left out. */
function saved(pod: NetnsTarget, family: Family, backend: IptablesBackend): string {
  return tidy(inside(pod, [`${programOf(family, backend)}-save`]))
}

const tidy = (text: string): string =>
  (text.match(/^\*[\s\S]*?^COMMIT$/gm) ?? [])
    .toSorted()
    .join('\n')
    .replaceAll(' -m tcp -j ', ' -j ')
    .replace(/ \[\d+:\d+\]$/gm, '')

const list = (pod: NetnsTarget): string => inside(pod, ['nft', '-s', 'list', 'ruleset'])

function generationOf(pod: NetnsTarget): number {
  using nft = openNft(pod)
  return nft.generation()
}

const policy = (pod: NetnsTarget): string[] =>
  ['-4', '-6'].flatMap((family) => [
    ...inside(pod, ['ip', family, 'rule'])
      .split('\n')
      .filter((line) => line.includes('fwmark')),
    ...inside(pod, ['ip', family, 'route', 'show', 'table', 'all'])
      .split('\n')
      .filter((line) => line.includes('table 100')),
  ])

const bothPolicies = [
  '32764:\tfrom all fwmark 0x111/0xfff lookup 100',
  'local default dev lo table 100 scope host ',
  '32764:\tfrom all fwmark 0x111/0xfff lookup 100',
  'local default dev lo table 100 metric 1024 pref medium',
]

const native: RulesOptions = { native: true }
const iptablesWays: readonly (RulesOptions & { readonly backend: IptablesBackend })[] = [
  { backend: 'iptables-nft', programs: 'auto' },
  { backend: 'iptables-nft', programs: 'always' },
  { backend: 'iptables-legacy' },
]

const ways = [
  ...iptablesWays.map((how) => ({
    title: `${how.backend} (programs ${how.programs})`,
    how,
    cases: captures,
    ofIstio: captures.filter(({ name }) => name === 'virtual'),
    rules: (pod: NetnsTarget) => families.map((family) => saved(pod, family, how.backend)),
    wanted: (name: string) => families.map((family) => tidy(listing(name, family))),
    /** A table that was made once stays, empty. */
    kept: /^-A.*|^:ISTIO.*/gm,
    restore: (pod: NetnsTarget, name: string) => {
      for (const family of families) {
        inside(pod, [`${programOf(family, how.backend)}-restore`], listing(name, family))
      }
    },
  })),
  {
    title: `nftables${noNft}`,
    how: native,
    cases: nativeCaptures,
    ofIstio: nativeCaptures,
    rules: (pod: NetnsTarget) => [list(pod)],
    wanted: (name: string) => [nativeListing(name)],
    kept: /^table .*/gm,
    restore: (pod: NetnsTarget, name: string) => void inside(pod, ['nft', '-f', '-'], nativeListing(name)),
  },
]

describe.each(ways)('rules by $title', ({ how, cases, ofIstio, rules, wanted, kept, restore }) => {
  const it = test.skipIf(how.native === true && !hasNft)

  it.each(cases)('the capture "$name" is listed as Istio’s', async ({ name, capture }) => {
    await using pod = await tempNetns()
    const { plan, generation } = await enrolNamespace(pod, capture, how)
    // netlink reads nothing in a namespace whose nf_tables was never changed.
    const counted = how.backend === 'iptables-nft' && how.programs === 'auto' ? generationOf(pod) : undefined
    expect({ plan, generation }).toEqual({ plan: 'fresh', generation: counted })
    expect(rules(pod)).toEqual(wanted(name))
    expect(policy(pod)).toEqual(capture.ipv6 ? bothPolicies : bothPolicies.slice(0, 2))
    expect(await namespaceDrift(pod, capture, how)).toEqual([])
    expect(await enrolNamespace(pod, capture, how)).toMatchObject({ plan: 'unchanged', added: [] })
  })

  it.each(ofIstio)('a pod that Istio enrolled with the capture "$name" is valid', async ({ name, capture }) => {
    await using pod = await tempNetns()
    restore(pod, name)
    const captured = capture.ipv6 ? families : (['ipv4'] as const)
    const missing = captured.flatMap((family) => [`missing ${family} route`, `missing ${family} rule`])
    const drift = await namespaceDrift(pod, capture, how)
    expect(drift.map((line) => line.replace(/:.*/, '')).sort()).toEqual(missing)
    expect(await enrolNamespace(pod, capture, how)).toMatchObject({ plan: 'unchanged' })
    expect(await namespaceDrift(pod, capture, how)).toEqual([])
  })

  it('a pod whose annotations change has only the rules of the new annotations', async () => {
    await using pod = await tempNetns()
    const lines = (texts: readonly string[]) => texts.map((text) => text.match(kept)?.toSorted())
    for (const { name, capture } of cases) {
      await enrolNamespace(pod, capture, how)
      expect(await namespaceDrift(pod, capture, how)).toEqual([])
      expect(lines(rules(pod))).toEqual(lines(wanted(name)))
    }
  })
})

describe.each(iptablesWays)('rules by $backend ($programs)', (how) => {
  test('removal leaves nothing in a pod, whatever its capture was', async () => {
    await using pod = await tempNetns()
    inside(pod, [how.backend, '-t', 'nat', '-N', 'ISTIO_REDIRECT'])
    await enrolNamespace(pod, { ...everything, virtualInterfaces: ['virt0'] }, { ...how, reconcile: false })
    await releaseNamespace(pod, { ...everything, ipv6: false, dnsCapture: false }, how)
    const left = families.map((family) => saved(pod, family, how.backend)).join('\n')
    // The chain may belong to a sidecar.
    expect(left.match(/^.*ISTIO.*$|^-A.*$/gm)).toEqual([':ISTIO_REDIRECT -'])
    expect(policy(pod)).toEqual([])
    await releaseNamespace(pod, everything, how)
  })

  test('drift is repaired, Istio’s rules are removed, and foreign rules stay', async () => {
    await using pod = await tempNetns()
    await enrolNamespace(pod, everything, how)
    const program = how.backend
    const nat = (...args: string[]) => inside(pod, [program, '-t', 'nat', ...args])
    nat('-F', 'ISTIO_OUTPUT')
    for (const chain of ['ISTIO_OLD', 'MINE']) {
      nat('-N', chain)
      nat('-A', chain, '-p', 'tcp', '--dport', '9', '-j', 'RETURN')
      nat('-I', 'OUTPUT', '-j', chain)
    }
    inside(pod, ['ip', '-6', 'rule', 'del', 'fwmark', '0x111/0xfff'])
    inside(pod, ['ip', 'route', 'flush', 'table', '100'])
    const drift = (await namespaceDrift(pod, everything, how)).join('\n')
    expect(drift).toContain('missing ipv4 route: local default dev lo table 100')
    expect(drift).toContain('missing ipv6 rule: fwmark 0x111/0xfff lookup 100')
    expect(drift).toContain('unexpected ipv4 nat: -A OUTPUT -j ISTIO_OLD')
    expect(drift).toMatch(/missing ipv4 nat: -A ISTIO_OUTPUT .*--to-ports 15001/)
    expect(drift).not.toContain('MINE')

    expect(await enrolNamespace(pod, everything, how)).toMatchObject({ plan: 'reconcile' })
    expect(await namespaceDrift(pod, everything, how)).toEqual([])
    const rules = saved(pod, 'ipv4', how.backend)
    expect(rules).not.toContain('ISTIO_OLD')
    expect(rules).toContain('-A OUTPUT -j MINE')
    expect(rules).toContain('-A MINE -p tcp -m tcp --dport 9 -j RETURN')
    expect(policy(pod)).toEqual(bothPolicies)
  })

  test('other chains of Istio’s stay if the caller asks for that', async () => {
    await using pod = await tempNetns()
    inside(pod, [how.backend, '-t', 'nat', '-N', 'ISTIO_OLD'])
    const keeping = { ...how, reconcile: false }
    await enrolNamespace(pod, everything, keeping)
    expect(await namespaceDrift(pod, everything, keeping)).toEqual([])
    expect(saved(pod, 'ipv4', how.backend)).toContain(':ISTIO_OLD')
  })
})

test('policy rules and legacy iptables are read, also when nf_tables is unchanged', async () => {
  await using pod = await tempNetns()
  const how = { backend: 'iptables-nft' } as const
  await enrolNamespace(pod, everything, how)
  expect(await routeDrift(pod, everything, how)).toEqual([])
  inside(pod, ['ip', '-6', 'rule', 'del', 'fwmark', '0x111/0xfff'])
  const withoutRule = await routeDrift(pod, everything, how)
  expect(withoutRule).toEqual(['missing ipv6 rule: fwmark 0x111/0xfff lookup 100'])
  inside(pod, ['iptables-legacy', '-t', 'nat', '-N', 'ISTIO_OUTPUT'])
  const withLegacy = await routeDrift(pod, everything, how)
  expect(withLegacy).toEqual(await namespaceDrift(pod, everything, how))
  expect(withLegacy.length).toBeGreaterThan(withoutRule.length)
})

test('without IPv6 no IPv6 rules are written, and earlier ones are removed', async () => {
  await using pod = await tempNetns()
  await enrolNamespace(pod, everything)
  const withoutIpv6 = { ...everything, ipv6: false }
  const drift = await namespaceDrift(pod, withoutIpv6)
  expect(drift).toContain('unexpected ipv6 route: local default dev lo table 100')
  expect(drift).toContain('unexpected ipv6 nat: -A PREROUTING -j ISTIO_PRERT')
  await enrolNamespace(pod, withoutIpv6)
  expect(saved(pod, 'ipv6', 'iptables-nft')).not.toContain('ISTIO')
  expect(saved(pod, 'ipv4', 'iptables-nft')).toBe(tidy(listing('default', 'ipv4')))
  expect(policy(pod)).toEqual(bothPolicies.slice(0, 2))
  expect(await namespaceDrift(pod, withoutIpv6)).toEqual([])
})

test('if IPv6 is off on lo, no IPv6 route is requested', async () => {
  await using pod = await tempNetns()
  inside(pod, ['sysctl', '-qw', 'net.ipv6.conf.lo.disable_ipv6=1'])
  expect((await enrolNamespace(pod, everything)).added).toEqual([
    'ipv4 route: local default dev lo table 100',
    'ipv4 rule: fwmark 0x111/0xfff lookup 100',
    'ipv6 rule: fwmark 0x111/0xfff lookup 100',
  ])
  expect(await namespaceDrift(pod, everything)).toEqual([])
})

test('when the rules cannot be written, the routes are removed', async () => {
  await using pod = await tempNetns()
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('PATH', '/nonexistent')
  await expect(enrolNamespace(pod, everything, { backend: 'iptables-legacy' })).rejects.toThrow(/not installed/)
  vi.unstubAllEnvs()
  expect(policy(pod)).toEqual([])
})

test('a foreign mark rule for the same table is neither taken for ours nor removed', async () => {
  await using pod = await tempNetns()
  inside(pod, ['ip', 'rule', 'add', 'fwmark', '0x111', 'lookup', '100', 'pref', '50'])
  const { added } = await enrolNamespace(pod, everything)
  expect(added).toContain('ipv4 rule: fwmark 0x111/0xfff lookup 100')
  await releaseNamespace(pod, everything)
  expect(policy(pod)).toEqual(['50:\tfrom all fwmark 0x111 lookup 100'])
})

describe.skipIf(!hasNft)(`the native rules of a pod${noNft}`, () => {
  test('have no table that the annotations do not need', async () => {
    await using pod = await tempNetns()
    await enrolNamespace(pod, everything, native)
    const withoutDns = { ...everything, dnsCapture: false }
    expect(await namespaceDrift(pod, withoutDns, native)).toContain('unexpected table inet istio-ambient-raw')
  })

  test('are repaired after drift, and foreign tables stay', async () => {
    await using pod = await tempNetns()
    await enrolNamespace(pod, everything, native)
    inside(pod, ['nft', 'add table inet mine'])
    inside(pod, ['nft', 'flush chain inet istio-ambient-nat istio-output'])
    inside(pod, ['nft', 'delete table inet istio-ambient-raw'])
    const drift = (await namespaceDrift(pod, everything, native)).join('\n')
    expect(drift).toContain('missing table inet istio-ambient-raw')
    expect(drift).toContain('missing rule in table inet istio-ambient-nat, chain istio-output')
    expect(await enrolNamespace(pod, everything, native)).toMatchObject({ plan: 'replace' })
    expect(await namespaceDrift(pod, everything, native)).toEqual([])
    expect(list(pod)).toContain('table inet mine')
  })

  test('are removed together with the pod’s routes', async () => {
    await using pod = await tempNetns()
    await enrolNamespace(pod, everything, native)
    await releaseNamespace(pod, { ...everything, dnsCapture: false }, native)
    expect(list(pod)).toBe('')
    expect(inside(pod, ['ip', 'rule'])).not.toContain('fwmark')
    await releaseNamespace(pod, everything, native)
  })

  test.each([
    ['native', 'iptables', {}, native],
    ['iptables', 'native', native, {}],
    ['legacy iptables', 'native', native, { backend: 'iptables-legacy' }],
    ['native', 'legacy iptables', { backend: 'iptables-legacy' }, native],
  ] as const)('replace the earlier kind: from %s to %s', async (_, __, next, before) => {
    await using pod = await tempNetns()
    await enrolNamespace(pod, everything, before)
    expect(await namespaceDrift(pod, everything, next)).not.toEqual([])
    await enrolNamespace(pod, everything, next)
    expect(await namespaceDrift(pod, everything, next)).toEqual([])
    const legacy = inside(pod, ['iptables-legacy-save'])
    const nft = inside(pod, ['iptables-nft-save'])
    expect([legacy.includes('ISTIO'), nft.includes('ISTIO'), list(pod).includes('istio-ambient')]).toEqual([
      'backend' in next,
      !('backend' in next || 'native' in next),
      'native' in next,
    ])
    await releaseNamespace(pod, everything, next)
    expect((await namespaceDrift(pod, everything, next)).join()).not.toContain('unexpected')
  })
})

test('native rules need no program', async () => {
  await using pod = await tempNetns()
  onTestFinished(() => void vi.unstubAllEnvs())
  vi.stubEnv('PATH', '/nonexistent')
  await enrolNamespace(pod, everything, native)
  expect(await namespaceDrift(pod, everything, native)).toEqual([])
  await releaseNamespace(pod, everything, native)
  expect(await namespaceDrift(pod, everything, native)).toContain('missing table inet istio-ambient-nat')
})
