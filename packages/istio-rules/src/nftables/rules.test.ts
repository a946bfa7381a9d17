import type { Ruleset, Statement } from '@cni/nftables/rules'
import { describe, expect, test } from 'vitest'
import { type CaptureConfig, captureDefaults } from '../capture/config.ts'
import { nativeRules } from './rules.ts'

const rulesFor = (delta: Partial<CaptureConfig>) => nativeRules({ ...captureDefaults, ...delta })
const everything = { includeInboundPorts: '*', includeOutboundIPRanges: '*' } as const

/** Rules of a chain as text, without counters. */
function chain({ tables }: Ruleset, table: string, name: string): readonly string[] {
  const found = tables.find((each) => each.name === `istio-proxy-${table}`)?.chains.find((each) => each.name === name)
  return (found?.rules ?? []).map(({ statements }) =>
    statements
      .filter(({ kind }) => kind !== 'counter' && kind !== 'nfproto')
      .map(words)
      .join(' '),
  )
}

function words(statement: Statement): string {
  const { kind, ...rest } = statement
  const values = Object.values(rest).map((value) => (typeof value === 'object' ? JSON.stringify(value) : value))
  return [kind, ...values].join(' ')
}

const names = ({ tables }: Ruleset) =>
  Object.fromEntries(tables.map(({ name, chains }) => [name, chains.map((each) => each.name)]))

describe('native rules', () => {
  test('have no empty tables and chains', () => {
    const nat = ['prerouting', 'output', 'istio-inbound', 'istio-redirect', 'istio-in-redirect', 'istio-output']
    const [, ...withoutInbound] = nat
    expect(names(rulesFor({}))).toEqual({ 'istio-proxy-nat': withoutInbound })
    expect(names(rulesFor(everything))).toEqual({ 'istio-proxy-nat': nat })
    expect(names(rulesFor({ ...everything, interceptionMode: 'TPROXY', dns: 'all', dropInvalid: true }))).toEqual({
      'istio-proxy-nat': ['output', ...nat.slice(2), 'istio-output-dns'],
      'istio-proxy-mangle': [
        ...['prerouting', 'output', 'istio-divert', 'istio-tproxy', 'istio-inbound', 'istio-drop'],
      ],
      'istio-proxy-raw': ['prerouting', 'output', 'istio-inbound', 'istio-output-dns'],
    })
  })

  test('do not jump to empty chains: IPv6 resolvers in a pod without IPv6', () => {
    const rules = rulesFor({ dns: { ipv4: [], ipv6: ['fd00::a'] } })
    expect(names(rules)['istio-proxy-raw']).toEqual(['output', 'istio-output-dns'])
    expect(chain(rules, 'nat', 'istio-output').join('\n')).not.toContain('dns')
  })

  test('have inserted rules at their final position in Istio’s order', () => {
    const virtual = rulesFor({ ...everything, rerouteVirtualInterfaces: ['k1', 'k2'], excludeInterfaces: ['eth9'] })
    expect(chain(virtual, 'nat', 'prerouting')).toEqual([
      'iifname k2 jump istio-redirect',
      'iifname k1 jump istio-redirect',
      'iifname k2 return',
      'iifname k1 return',
      'iifname eth9 return',
      'l4proto tcp jump istio-inbound',
    ])
    const tproxy = rulesFor({ ...everything, interceptionMode: 'TPROXY', ipv6: true })
    expect(chain(tproxy, 'mangle', 'istio-inbound').slice(0, 4)).toEqual([
      'l4proto tcp mark 1337 return',
      'iifname lo l4proto tcp ip6 saddr ::6 return',
      'iifname lo l4proto tcp mark != 1338 return',
      'iifname lo l4proto tcp ip saddr 127.0.0.6 return',
    ])
  })

  test.each([
    [3, ['skgid != 10 skgid != 11 skgid != 12 return']],
    [0, ['return']],
  ])('match %i groups in one rule', (count, expected) => {
    const groups = Array.from({ length: count }, (_, i) => 10 + i)
    const output = chain(rulesFor({ ownerGroups: { mode: 'only', groups } }), 'nat', 'istio-output')
    expect(output.slice(-2, -1)).toEqual(expected)
  })

  test('match 64 groups, which do not fit as conditions, by a set', () => {
    const groups = Array.from({ length: 64 }, (_, i) => 1000 + i)
    const output = chain(rulesFor({ ownerGroups: { mode: 'only', groups } }), 'nat', 'istio-output')
    expect(output.at(-2)).toMatch(/^skgid != \{"set":\[.*\]\} return$/)
  })

  test('always contain IPv4, and IPv6 only if it is captured', () => {
    const ranges = { ipv4: ['10.0.0.0/8'], ipv6: ['fd00::/8'] }
    const of = (ipv6: boolean) =>
      chain(rulesFor({ ipv6, includeOutboundIPRanges: ranges }), 'nat', 'istio-output').slice(ipv6 ? -2 : -1)
    expect(of(false)).toEqual(['ip daddr 10.0.0.0/8 jump istio-redirect'])
    expect(of(true)).toEqual(['ip daddr 10.0.0.0/8 jump istio-redirect', 'ip6 daddr fd00::/8 jump istio-redirect'])
  })

  test('accept ranges of ports and IDs from a command line, but no names', () => {
    const rules = rulesFor({ includeOutboundPorts: ['80:90'], proxyUIDs: ['7-9'] })
    expect(chain(rules, 'nat', 'istio-output').at(-1)).toBe(
      'l4proto tcp tcp dport {"from":80,"to":90} jump istio-redirect',
    )
    expect(chain(rules, 'nat', 'istio-output')).toContain('skuid {"from":7,"to":9} return')
    expect(() => rulesFor({ proxyGIDs: ['istio'] })).toThrow('no names of users and groups: write "istio" as a number')
  })

  test('contain names of interfaces unchanged', () => {
    const rules = rulesFor({ excludeInterfaces: ['eth*', 'drop', '010'] })
    expect(chain(rules, 'nat', 'prerouting')).toEqual([
      'iifname eth* return',
      'iifname drop return',
      'iifname 010 return',
    ])
  })
})
