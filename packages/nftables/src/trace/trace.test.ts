import { describe, expect, test } from 'vitest'
import { base, chain, map, nftRuleset, set } from '../rules/index.ts'
import type { Chain, Ruleset } from '../rules/model.ts'
import type { Statement } from '../rules/statement.ts'
import type { BaseChain } from '../wire/specs.ts'
import { explain } from './explain.ts'
import { trace } from './trace.ts'
import type { TraceOptions } from './trace-types.ts'

const redirect = nftRuleset(
  'inet',
  { 'ex-nat': { output: base('nat', 'output', -100), 'ex-output': chain, 'ex-redirect': chain } },
  (t) => [
    t['ex-nat'].on('output').counter().jump('ex-output'),
    t['ex-nat'].on('ex-output').skuid(1337).counter().return(),
    t['ex-nat'].on('ex-output').ip('daddr', '127.0.0.1/32').counter().return(),
    t['ex-nat'].on('ex-output').ip6('daddr', '::1/128').counter().return(),
    t['ex-nat'].on('ex-output').tcp('dport').not([53, 15008]).counter().jump('ex-redirect'),
    t['ex-nat'].on('ex-redirect').l4proto('tcp').counter().redirect(15001),
  ],
)

describe('a redirect of outgoing connections', () => {
  test.each([
    ['tcp 10.0.0.5:80 uid 1000', '127.0.0.1', 15001],
    ['tcp [fd00::5]:80 uid 1000', '::1', 15001],
    ['tcp 10.0.0.5:80 uid 1337', '10.0.0.5', 80],
    ['tcp 10.0.0.5:53 uid 1000', '10.0.0.5', 53],
    ['tcp 127.0.0.1:80 uid 1000', '127.0.0.1', 80],
    ['udp 10.0.0.5:80 uid 1000', '10.0.0.5', 80],
    ['tcp 10.0.0.5:80 uid 1000 state ESTABLISHED', '10.0.0.5', 80],
    ['tcp 10.0.0.5:80 in eth0', '10.0.0.5', 80],
  ])('%s goes to %s port %i', (packet, address, port) => {
    expect(trace(redirect, packet)).toMatchObject({ verdict: 'accept', destination: { address, port } })
  })

  test('without an owner the packet is undecided, and the reason names the rule', () => {
    expect(trace(redirect, 'tcp 10.0.0.5:80')).toMatchObject({
      verdict: 'undecided',
      reason: 'inet ex-nat ex-output rule 1: whether it matches is not known: meta skuid 1337',
    })
  })

  test('the path has every rule that the packet reached, as nft lists it', () => {
    const { path } = trace(redirect, 'tcp 10.0.0.5:80 uid 1000')
    expect(path.map(({ index, rule, matched, effect }) => [index, rule, matched, effect])).toEqual([
      [1, 'counter jump ex-output', true, undefined],
      [1, 'meta skuid 1337 counter return', false, undefined],
      [2, 'ip daddr 127.0.0.1 counter return', false, undefined],
      [3, 'ip6 daddr ::1 counter return', false, undefined],
      [4, 'tcp dport != { 53, 15008 } counter jump ex-redirect', true, undefined],
      [1, 'meta l4proto tcp counter redirect to :15001', true, 'to 127.0.0.1 port 15001'],
    ])
  })

  test('explain prints the path', () => {
    expect(explain(trace(redirect, 'tcp 10.0.0.5:53 uid 1000'))).toBe(
      [
        'tcp 10.0.0.5:53 uid 1000',
        '  output: inet ex-nat',
        '    ✓ output 1: counter jump ex-output',
        '    · ex-output 1: meta skuid 1337 counter return',
        '    · ex-output 2: ip daddr 127.0.0.1 counter return',
        '    · ex-output 3: ip6 daddr ::1 counter return',
        '    · ex-output 4: tcp dport != { 53, 15008 } counter jump ex-redirect',
        'accept',
        '',
      ].join('\n'),
    )
  })
})

test('explain draws a flowchart of rules that matched or may match', () => {
  const rules = nftRuleset('inet', { ex: { output: base('nat', 'output', -100), 'to-proxy': chain } }, (t) => [
    t.ex.on('output').skuid(1337).return(),
    t.ex.on('output').l4proto('tcp').jump('to-proxy'),
    t.ex.on('to-proxy').l4proto('tcp').redirect(15001).comment('"]; end'),
  ])
  expect(explain(trace(rules, 'tcp 10.0.0.5:80 uid 1000'), { format: 'mermaid' })).toBe(`flowchart TD
  packet(["tcp 10.0.0.5:80 uid 1000"])
  subgraph h0["output: inet ex"]
    r1["output 2: meta l4proto tcp jump to-proxy"]
    r2["to-proxy 1: meta l4proto tcp redirect to :15001 comment #34;#34;#93;#59; end#34;  → to 127.0.0.1 port 15001"]
  end
  verdict(["accept to 127.0.0.1:15001"])
  packet --> r1
  r1 --> r2
  r2 --> verdict
`)
  expect(explain(trace(rules, 'tcp 10.0.0.5:80'), { format: 'mermaid' })).toContain('packet -.-> r0')
})

const input: BaseChain = { type: 'filter', hook: 'input', priority: 0 }

/** A ruleset with an input chain of these rules. */
const filter = (
  rules: readonly (readonly Statement[])[],
  policy: 'accept' | 'drop' = 'accept',
  at = input,
): Ruleset => ({
  tables: [
    {
      ...{ family: 'inet', name: 't', sets: [] },
      chains: [
        { name: 'in', base: at, policy, rules: rules.map((statements) => ({ statements })) },
        { name: 'a', rules: [{ statements: [{ kind: 'goto', chain: 'b' }] }, { statements: [{ kind: 'accept' }] }] },
        { name: 'b', rules: [{ statements: [{ kind: 'mark set', to: 7 }] }] },
      ],
    },
  ],
})

describe('the end of a packet', () => {
  test.each<[string, Ruleset, string, string]>([
    ['a policy', filter([], 'drop'), 'drop', 'policy of inet t in: drop'],
    ['a rule', filter([[{ kind: 'l4proto', value: 'tcp' }, { kind: 'drop' }]]), 'drop', 'inet t in rule 1: drop'],
    ['a rejection', filter([[{ kind: 'reject', with: 'icmpx', code: 1 }]]), 'reject', 'inet t in rule 1: reject'],
    ['accepted before the policy', filter([[{ kind: 'accept' }]], 'drop'), 'accept', ''],
    [
      'return in a base chain leads to the policy',
      filter([[{ kind: 'return' }], [{ kind: 'accept' }]], 'drop'),
      'drop',
      'policy of inet t in: drop',
    ],
    [
      'after a goto the caller of the calling chain continues',
      filter([[{ kind: 'jump', chain: 'a' }], [{ kind: 'mark', value: 7 }, { kind: 'drop' }]]),
      'drop',
      'inet t in rule 2: drop',
    ],
    [
      'a missing chain',
      filter([[{ kind: 'jump', chain: 'x' }]]),
      'undecided',
      'inet t in rule 1: there is no chain "x"',
    ],
    [
      'a loop',
      filter([[{ kind: 'jump', chain: 'in' }]]),
      'undecided',
      'inet t in rule 1: in is on the way already, a loop that the kernel refuses',
    ],
    [
      'an unknown expression',
      filter([[{ kind: 'raw', expressions: [{ name: 'raw', of: 'osf' }] }, { kind: 'drop' }]]),
      'undecided',
      'inet t in rule 1: [osf] is not modelled',
    ],
    [
      'an unknown condition without effect on the packet',
      filter([[{ kind: 'socket mark', value: 1 }, { kind: 'counter' }]]),
      'accept',
      '',
    ],
    [
      'an unknown rate',
      filter([[{ kind: 'limit', rate: 1, per: 'second', burst: 5 }, { kind: 'drop' }]]),
      'undecided',
      'inet t in rule 1: whether the packet is within the rate is not known',
    ],
  ])('%s', (_, rules, verdict, reason) => {
    expect(trace(rules, 'tcp 10.0.0.5:80 in eth0 local 10.0.0.5')).toMatchObject({ verdict, reason })
  })

  test.each<[TraceOptions, string]>([
    [{ limit: 'within' }, 'drop'],
    [{ limit: 'exceeded' }, 'accept'],
    [{ assume: { 'limit rate 1/second': true } }, 'drop'],
    [{ assume: { 'limit rate 1/second': false } }, 'accept'],
  ])('%j decides a rate limit', (options, verdict) => {
    const rules = filter([[{ kind: 'limit', rate: 1, per: 'second', burst: 5 }, { kind: 'drop' }]])
    expect(trace(rules, 'tcp 10.0.0.5:80 in eth0 local 10.0.0.5', options).verdict).toBe(verdict)
  })
})

describe('a condition holds, does not hold, or is unknown', () => {
  const packet = 'tcp 10.0.0.5:80 from 10.9.0.1:4000 in eth0 mark 0x12 local 10.0.0.5'
  test.each<[Statement, boolean | undefined]>([
    [{ kind: 'iifname', value: 'eth0' }, true],
    [{ kind: 'iifname', value: { prefix: 'eth' } }, true],
    [{ kind: 'iifname', op: '!=', value: { set: ['lo', 'eth1'] } }, true],
    [{ kind: 'oifname', value: 'eth0' }, false],
    [{ kind: 'nfproto', value: 'ipv6' }, false],
    [{ kind: 'l4proto', value: { set: ['tcp', 'udp'] } }, true],
    [{ kind: 'mark', value: { value: 2, mask: 0xf } }, true],
    [{ kind: 'mark', op: '>', value: 0x12 }, false],
    [{ kind: 'mark', op: '>=', value: 0x12 }, true],
    [{ kind: 'skuid', op: '!=', value: 5 }, false],
    [{ kind: 'pkttype', value: 'host' }, undefined],
    [{ kind: 'ip saddr', value: '10.0.0.0/8' }, true],
    [{ kind: 'ip saddr', value: { from: '10.0.0.0', to: '10.8.255.255' } }, false],
    [{ kind: 'ip6 saddr', value: 'fd00::/8' }, false],
    [{ kind: 'tcp sport', value: { from: 1024, to: 65_535 } }, true],
    [{ kind: 'tcp dport', value: { set: [{ from: 1, to: 79 }, 443] } }, false],
    [{ kind: 'udp dport', value: 80 }, false],
    [{ kind: 'tcp flags', value: ['syn', 'ack'] }, true],
    [{ kind: 'tcp flags', value: { value: ['syn'], mask: ['fin', 'syn', 'rst', 'ack'] } }, true],
    [{ kind: 'tcp flags', op: '!=', value: { value: ['syn'], mask: ['syn', 'ack'] } }, false],
    [{ kind: 'tcp flags', value: { set: [['ack'], ['rst']] } }, false],
    [{ kind: 'th dport', value: 80 }, true],
    [{ kind: 'ct state', value: ['new', 'established'] }, true],
    [{ kind: 'ct state', op: '!=', value: ['new'] }, false],
    [{ kind: 'ct mark', value: 0 }, true],
    [{ kind: 'ct direction', value: 'original' }, true],
    [{ kind: 'ct status', value: ['dnat'] }, undefined],
    [{ kind: 'fib daddr type', value: 'local' }, true],
    [{ kind: 'fib saddr type', value: 'local' }, false],
    [{ kind: 'fib saddr type', value: 'unicast' }, undefined],
    [{ kind: 'socket transparent', value: 1 }, undefined],
  ])('%j: %s', (condition, matched) => {
    const { path } = trace(filter([[condition, { kind: 'counter' }]]), packet)
    expect(path.map((step) => step.matched)).toEqual([matched])
  })
})

test('a condition that fails decides the rule, even if earlier conditions are unknown', () => {
  const rules = nftRuleset('inet', { ex: { output: base('filter', 'output', 0) } }, (t) => [
    t.ex.on('output').udp('sport', 15053).skuid(1337).counter().drop(),
  ])
  expect(trace(rules, 'udp 10.0.0.5:53 uid 1000')).toMatchObject({ verdict: 'accept', path: [{ matched: false }] })
  expect(trace(rules, 'udp 10.0.0.5:53 uid 1337')).toMatchObject({ verdict: 'undecided' })
})

test('the effect of a statement stays if a later condition fails', () => {
  const rules = filter([[{ kind: 'mark set', to: 5 }, { kind: 'tcp dport', value: 1 }, { kind: 'drop' }]])
  expect(trace(rules, 'tcp 10.0.0.5:80 in eth0 local 10.0.0.5')).toMatchObject({ verdict: 'accept', mark: 5 })
})

test('named sets and maps are looked up', () => {
  const rules = nftRuleset(
    'ip',
    {
      t: {
        in: base('filter', 'input', 0),
        web: set('inet_service', { elements: [{ key: 80 }, { key: 443 }] }),
        others: set('ipv4_addr'),
        by: map('inet_service', 'verdict', { elements: [{ key: 22, data: { verdict: 'drop' } }] }),
      },
    },
    (t) => [
      t.t.on('in').tcp('dport', { named: 'web' }).markSet(1),
      t.t.on('in').vmap('tcp dport', { named: 'by' }),
      t.t.on('in').tcp('dport', 7).ip('saddr', { named: 'others' }).drop(),
    ],
  )
  const local = 'from 10.0.0.9:4000 in eth0 local 10.0.0.5'
  expect(trace(rules, `tcp 10.0.0.5:80 ${local}`)).toMatchObject({ verdict: 'accept', mark: 1 })
  expect(trace(rules, `tcp 10.0.0.5:22 ${local}`)).toMatchObject({ verdict: 'drop', mark: 0 })
  expect(trace(rules, `tcp 10.0.0.5:7 ${local}`)).toMatchObject({
    verdict: 'undecided',
    reason: 'ip t in rule 3: whether it matches is not known: ip saddr @others',
  })
})

describe('the order of base chains', () => {
  const at = (name: string, spec: BaseChain, mark: number): Chain => ({
    ...{ name, base: spec, rules: [{ statements: [{ kind: 'mark set', to: mark }] }] },
  })
  test('is by priority; at equal priority the last added chain is first', () => {
    const chains = [at('late', { ...input, priority: 10 }, 1), at('one', input, 2), at('two', input, 3)]
    const { path } = trace({ tables: [{ family: 'inet', name: 't', sets: [], chains }] }, 'tcp 10.0.0.5:80 in eth0')
    expect(path.map(({ chain: name }) => name)).toEqual(['two', 'one', 'late'])
  })

  test('the conntrack state is unknown before conntrack', () => {
    const state: readonly Statement[] = [{ kind: 'ct state', value: ['new'] }, { kind: 'counter' }]
    const raw = filter([state], 'accept', { type: 'filter', hook: 'prerouting', priority: -300 })
    const mangle = filter([state], 'accept', { type: 'filter', hook: 'prerouting', priority: -150 })
    expect(trace(raw, 'tcp 10.0.0.5:80 in eth0').path[0]?.matched).toBe(false)
    expect(trace(mangle, 'tcp 10.0.0.5:80 in eth0').path[0]?.matched).toBe(true)
  })
})

test('tproxy delivers the packet with its mark, and keeps the destination', () => {
  const rules = nftRuleset('inet', { m: { pre: base('filter', 'prerouting', -150) } }, (t) => [
    t.m.on('pre').l4proto('tcp').markSet(1337).tproxy('ip', 15006).accept(),
  ])
  expect(trace(rules, 'tcp 10.0.0.5:80 in eth0')).toMatchObject({
    ...{ verdict: 'accept', mark: 1337, tproxy: { port: 15006 }, destination: { address: '10.0.0.5', port: 80 } },
  })
  expect(trace(rules, 'tcp [fd00::5]:80 in eth0').tproxy).toBeUndefined()
})
