import type { Family } from '@cni/iptables/rules'
import { describe, expect, test } from 'vitest'
import { type CaptureConfig, captureDefaults } from '../capture/config.ts'
import { redirectRules } from './rules.ts'
import { istioRestoreText } from './text.ts'

/** Lines of one table, as written. */
function lines(delta: Partial<CaptureConfig>, table: string, family: Family = 'ipv4'): readonly string[] {
  const text = istioRestoreText(redirectRules({ ...captureDefaults, ...delta }), family)
  const section = text.split(/^(?=\* )/m).find((part) => part.startsWith(`* ${table}\n`)) ?? ''
  return section.split('\n').slice(1, -2)
}

/** Rules of one chain, in the order in which the kernel has them. */
function chain(delta: Partial<CaptureConfig>, table: string, name: string, family: Family = 'ipv4'): readonly string[] {
  const rules: string[] = []
  for (const line of lines(delta, table, family)) {
    const [, command, rest = ''] = new RegExp(`^-([AI]) ${name} (.*)$`).exec(line) ?? []
    if (command === 'A') rules.push(rest)
    if (command === 'I') rules.splice(Number.parseInt(rest, 10) - 1, 0, rest.replace(/^\d+ /, ''))
  }
  return rules
}

const ranges = (ipv4: readonly string[], ipv6: readonly string[] = []) => ({ ipv4, ipv6 })
const inboundAll = { includeInboundPorts: '*', includeOutboundIPRanges: '*' } as const

describe('virtual interfaces', () => {
  const delta = { ...inboundAll, excludeInterfaces: ['eth9'], rerouteVirtualInterfaces: ['a', 'b'] }

  test('GENX-01: later inserts come first, captures before returns, and both before appended rules', () => {
    expect(chain(delta, 'nat', 'PREROUTING')).toEqual([
      '-i b -j ISTIO_REDIRECT',
      '-i a -j ISTIO_REDIRECT',
      '-i b -j RETURN',
      '-i a -j RETURN',
      '-i eth9 -j RETURN',
      '-p tcp -j ISTIO_INBOUND',
    ])
  })

  test('with a list of ranges each range is captured on each interface, in its own family', () => {
    const listed = { ...delta, ipv6: true, includeOutboundIPRanges: ranges(['10.0.0.0/8', '11.0.0.0/8'], ['fd00::/8']) }
    expect(chain(listed, 'nat', 'PREROUTING').slice(0, 4)).toEqual([
      '-i b -d 11.0.0.0/8 -j ISTIO_REDIRECT',
      '-i a -d 11.0.0.0/8 -j ISTIO_REDIRECT',
      '-i b -d 10.0.0.0/8 -j ISTIO_REDIRECT',
      '-i a -d 10.0.0.0/8 -j ISTIO_REDIRECT',
    ])
    expect(chain(listed, 'nat', 'PREROUTING', 'ipv6').slice(0, 2)).toEqual([
      '-i b -d fd00::/8 -j ISTIO_REDIRECT',
      '-i a -d fd00::/8 -j ISTIO_REDIRECT',
    ])
  })
})

describe('outbound', () => {
  test('GENX-02: a list of IPv4 ranges leaves outbound IPv6 uncaptured', () => {
    const delta = { ipv6: true, includeOutboundIPRanges: ranges(['10.0.0.0/8']) }
    expect(chain(delta, 'nat', 'ISTIO_OUTPUT').at(-1)).toBe('-d 10.0.0.0/8 -j ISTIO_REDIRECT')
    expect(chain(delta, 'nat', 'ISTIO_OUTPUT', 'ipv6').at(-1)).toBe('-d ::1/128 -j RETURN')
  })

  test.each([[ranges(['127.0.0.0/8'])], [ranges([], ['::1/128'])], [ranges(['10.0.0.0/8', '127.1.2.3/32'])]])(
    'GENX-03: loopback in the ranges %j of either family removes the exemption of lo in both',
    (included) => {
      const delta = { ipv6: true, includeOutboundIPRanges: included }
      for (const family of ['ipv4', 'ipv6'] as const) {
        expect(chain(delta, 'nat', 'ISTIO_OUTPUT', family).filter((rule) => rule.includes('! --uid-owner'))).toEqual([])
        expect(chain(delta, 'nat', 'ISTIO_OUTPUT', family).filter((rule) => rule.includes('! --gid-owner'))).toEqual([])
      }
    },
  )

  test('GENX-06: excluded ports come before all owner rules, for tcp and udp', () => {
    expect(chain({ excludeOutboundPorts: [7, 8] }, 'nat', 'ISTIO_OUTPUT').slice(0, 5)).toEqual([
      '-p tcp --dport 7 -j RETURN',
      '-p udp --dport 7 -j RETURN',
      '-p tcp --dport 8 -j RETURN',
      '-p udp --dport 8 -j RETURN',
      '-o lo -s 127.0.0.6/32 -j RETURN',
    ])
  })

  test('an excluded range takes precedence over an included port, and the port over included ranges', () => {
    const delta = {
      includeOutboundPorts: [9443],
      includeOutboundIPRanges: ranges(['10.0.0.0/8']),
      excludeOutboundIPRanges: ranges(['10.9.0.0/16']),
    }
    expect(chain(delta, 'nat', 'ISTIO_OUTPUT').slice(-4)).toEqual([
      '-d 127.0.0.1/32 -j RETURN',
      '-d 10.9.0.0/16 -j RETURN',
      '-p tcp --dport 9443 -j ISTIO_REDIRECT',
      '-d 10.0.0.0/8 -j ISTIO_REDIRECT',
    ])
  })

  test('GENX-09: several users and groups get a block each, in order', () => {
    const owners = chain({ proxyUIDs: [3, 4], proxyGIDs: [1, 2] }, 'nat', 'ISTIO_OUTPUT')
      .map((rule) => /-m owner --([ug]id-owner \d+) -j RETURN/.exec(rule)?.[1])
      .filter((owner) => owner !== undefined)
    expect(owners).toEqual(['uid-owner 3', 'uid-owner 4', 'gid-owner 1', 'gid-owner 2'])
  })

  test.each(['ISTIO_REDIRECT', 'ISTIO_IN_REDIRECT'])('GENX-10: %s captures tcp only', (name) => {
    const rules = chain({ ...inboundAll, dns: 'all' }, 'nat', name)
    expect(rules).toHaveLength(1)
    expect(rules[0]).toMatch(/^-p tcp -j REDIRECT --to-ports \d+$/)
  })

  test('the loopback range of the node replaces 127.0.0.1/32 everywhere, in IPv4 only', () => {
    const delta = { ...inboundAll, ipv6: true, interceptionMode: 'TPROXY', loopbackCidr: '127.0.0.0/8' } as const
    const text = (family: Family) => istioRestoreText(redirectRules({ ...captureDefaults, ...delta }), family)
    expect(text('ipv4')).not.toContain('127.0.0.1/32')
    expect(text('ipv4').match(/-d 127\.0\.0\.0\/8/g)).toHaveLength(6)
    expect(text('ipv6')).not.toContain('127.')
  })
})

describe('inbound', () => {
  test('excluded ports have an effect only if all other ports are included', () => {
    const excluded = { excludeInboundPorts: [22] }
    expect(chain({ ...excluded, includeInboundPorts: '*' }, 'nat', 'ISTIO_INBOUND')).toEqual([
      '-p tcp --dport 15008 -j RETURN',
      '-p tcp --dport 22 -j RETURN',
      '-p tcp -j ISTIO_IN_REDIRECT',
    ])
    expect(chain({ ...excluded, includeInboundPorts: [22, 80] }, 'nat', 'ISTIO_INBOUND')).toEqual([
      '-p tcp --dport 15008 -j RETURN',
      '-p tcp --dport 22 -j ISTIO_IN_REDIRECT',
      '-p tcp --dport 80 -j ISTIO_IN_REDIRECT',
    ])
  })

  test('without included ports no inbound traffic is captured', () => {
    expect(chain({ excludeInboundPorts: [22] }, 'nat', 'PREROUTING')).toEqual([])
  })

  test('GENX-05: with TPROXY no rule jumps to ISTIO_INBOUND of nat, and the chain in mangle has no rule for the tunnel port', () => {
    const delta = { ...inboundAll, interceptionMode: 'TPROXY' } as const
    expect(lines(delta, 'nat').filter((line) => line.endsWith('-j ISTIO_INBOUND'))).toEqual([])
    expect(chain(delta, 'nat', 'ISTIO_INBOUND')).toEqual(['-p tcp --dport 15008 -j RETURN'])
    expect(chain(delta, 'mangle', 'ISTIO_INBOUND').filter((rule) => rule.includes('15008'))).toEqual([])
  })

  test('with TPROXY replies, forwarded traffic and traffic of the own pod return from ISTIO_INBOUND before any port is matched', () => {
    const delta = { interceptionMode: 'TPROXY', includeInboundPorts: [80] } as const
    expect(chain(delta, 'mangle', 'ISTIO_INBOUND')).toEqual([
      '-p tcp -m mark --mark 1337 -j RETURN',
      '-p tcp -s 127.0.0.6/32 -i lo -j RETURN',
      '-p tcp -i lo -m mark ! --mark 1338 -j RETURN',
      '-p tcp --dport 80 -m conntrack --ctstate RELATED,ESTABLISHED -j ISTIO_DIVERT',
      '-p tcp --dport 80 -j ISTIO_TPROXY',
    ])
  })
})

describe('DNS', () => {
  test('GENX-04: without IPv6 servers IPv6 has the zones of the agent, but no jumps for capture or replies', () => {
    const delta = { ipv6: true, dns: ranges(['10.96.0.10']) }
    expect(lines(delta, 'nat', 'ipv6').filter((line) => line.includes('DNS'))).toEqual([])
    expect(lines(delta, 'raw', 'ipv6')).toEqual([
      '-N ISTIO_OUTPUT_DNS',
      '-A OUTPUT -j ISTIO_OUTPUT_DNS',
      '-A ISTIO_OUTPUT_DNS -p udp --dport 53 -m owner --uid-owner 1337 -j CT --zone 1',
      '-A ISTIO_OUTPUT_DNS -p udp --sport 15053 -m owner --uid-owner 1337 -j CT --zone 2',
      '-A ISTIO_OUTPUT_DNS -p udp --dport 53 -m owner --gid-owner 1337 -j CT --zone 1',
      '-A ISTIO_OUTPUT_DNS -p udp --sport 15053 -m owner --gid-owner 1337 -j CT --zone 2',
    ])
  })

  test('all queries are captured in both families, tcp with --to-ports and udp with --to-port', () => {
    for (const family of ['ipv4', 'ipv6'] as const) {
      expect(chain({ ipv6: true, dns: 'all' }, 'nat', 'ISTIO_OUTPUT_DNS', family)).toEqual([
        '-p tcp --dport 53 -j REDIRECT --to-ports 15053',
        '-p udp --dport 53 -j REDIRECT --to-port 15053',
      ])
      expect(chain({ ipv6: true, dns: 'all' }, 'raw', 'PREROUTING', family)).toEqual(['-j ISTIO_INBOUND'])
      expect(chain({ ipv6: true, dns: 'all' }, 'raw', 'ISTIO_INBOUND', family)).toEqual([
        '-p udp --sport 53 -j CT --zone 1',
      ])
    }
  })

  test('the rule for the user excludes port 53 of the own pod, the rule for the group does not', () => {
    const [uid, , , gid] = chain({ dns: 'all' }, 'nat', 'ISTIO_OUTPUT').filter((rule) => rule.includes('-m owner'))
    expect(uid).toContain('-m multiport ! --dports 53,15008 ')
    expect(gid).toContain(' ! --dport 15008 ')
  })

  test('a list without servers captures nothing', () => {
    expect(lines({ ipv6: true, dns: ranges([]) }, 'raw')).toEqual([])
  })
})

describe('owner groups', () => {
  const output = (ownerGroups: CaptureConfig['ownerGroups']) =>
    chain({ ownerGroups, dns: 'all' }, 'nat', 'ISTIO_OUTPUT').slice(-4)

  test('GENX-07: with "only" the traffic of all other groups returns before the DNS jump', () => {
    expect(output({ mode: 'only', groups: [202, 203] }).slice(1)).toEqual([
      '-m owner ! --gid-owner 202 -m owner ! --gid-owner 203 -j RETURN',
      '-j ISTIO_OUTPUT_DNS',
      '-d 127.0.0.1/32 -j RETURN',
    ])
  })

  test('with "only" and no groups all traffic returns', () => {
    expect(output({ mode: 'only', groups: [] })[1]).toBe('-j RETURN')
  })

  test('with "only" and more groups than fit into one rule, all IDs between them return, and packets without an owner', () => {
    const groups = [4294967294, ...Array.from({ length: 47 }, (_, i) => 2 * i + 1), 2]
    const rules = chain({ ownerGroups: { mode: 'only', groups } }, 'nat', 'ISTIO_OUTPUT').slice(7, -1)
    expect(rules).toHaveLength(48)
    expect(rules.slice(0, 3)).toEqual([
      '-m owner ! --socket-exists -j RETURN',
      '-m owner --gid-owner 0 -j RETURN',
      '-m owner --gid-owner 4 -j RETURN',
    ])
    expect(rules.at(-1)).toBe('-m owner --gid-owner 94-4294967293 -j RETURN')
  })

  test('with "only" 47 groups are one rule, and 48 are not', () => {
    const rules = (count: number) => {
      const groups = Array.from({ length: count }, (_, i) => 2 * i)
      return chain({ ownerGroups: { mode: 'only', groups } }, 'nat', 'ISTIO_OUTPUT').slice(7, -1)
    }
    expect(rules(47)).toEqual([
      `${Array.from({ length: 47 }, (_, i) => `-m owner ! --gid-owner ${2 * i} `).join('')}-j RETURN`,
    ])
    expect(rules(48)).toHaveLength(49)
    expect(rules(48).at(-1)).toBe('-m owner --gid-owner 95-4294967294 -j RETURN')
  })

  test('with "only" a name among more groups than fit into one rule is an error', () => {
    const groups = ['java', ...Array.from({ length: 48 }, (_, i) => i)]
    expect(() => chain({ ownerGroups: { mode: 'only', groups } }, 'nat', 'ISTIO_OUTPUT')).toThrow(/too long/)
    expect(output({ mode: 'only', groups: ['java', 5] })[1]).toBe(
      '-m owner ! --gid-owner java -m owner ! --gid-owner 5 -j RETURN',
    )
  })

  test('with "all except" each group returns', () => {
    expect(output({ mode: 'all-except', groups: [5, 6] }).slice(0, 3)).toEqual([
      '-m owner --gid-owner 5 -j RETURN',
      '-m owner --gid-owner 6 -j RETURN',
      '-j ISTIO_OUTPUT_DNS',
    ])
  })
})

describe('families', () => {
  test('GENX-08: IPv4 rules are always written, IPv6 rules only if the pod has IPv6', () => {
    const text = (ipv6: boolean, family: Family) =>
      istioRestoreText(redirectRules({ ...captureDefaults, ...inboundAll, ipv6 }), family)
    expect(text(true, 'ipv4')).toBe(text(false, 'ipv4'))
    expect(text(true, 'ipv6')).toContain('-A OUTPUT -j ISTIO_OUTPUT\n')
    expect(text(false, 'ipv6')).toBe('')
  })
})
