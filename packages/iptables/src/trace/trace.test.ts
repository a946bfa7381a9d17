import { describe, expect, test } from 'vitest'
import { parseSave } from '../parse/snapshot.ts'
import { ruleset } from '../rules/ruleset.ts'
import { type TraceMatchers, traceMatchers } from '../testing/trace-matchers.ts'
import { explain } from './explain.ts'
import { packetText, parsePacket } from './packet-text.ts'
import { trace } from './trace.ts'

declare module 'vitest' {
  interface Matchers<R extends void | Promise<void>, T> extends TraceMatchers<R> {}
}

expect.extend(traceMatchers)

const loopback = { ipv4: '127.0.0.1/32', ipv6: '::1/128' }

const simple = ruleset({ nat: ['EX_OUTPUT', 'EX_REDIRECT'] }, (t) => [
  t.nat.on('OUTPUT').proto('tcp').jump('EX_OUTPUT'),
  t.nat.on('EX_OUTPUT').uid(1337).return(),
  t.nat.on('EX_OUTPUT').not.dst(loopback).jump('EX_REDIRECT'),
  t.nat.on('EX_REDIRECT').proto('tcp').redirect(15001),
])

const proxy = ruleset(
  { mangle: ['EX_DIVERT', 'EX_TPROXY', 'EX_IN'], nat: ['EX_OUTPUT', 'EX_REDIRECT'], raw: ['EX_DNS'] },
  (t) => [
    t.nat.on('PREROUTING').in('eth9').return(),
    t.nat.insert('PREROUTING', 1).in('net1').jump('EX_REDIRECT'),
    t.mangle.on('EX_DIVERT').setMark(1337),
    t.mangle.on('EX_DIVERT').accept(),
    t.mangle.on('EX_TPROXY').not.dst(loopback).proto('tcp').tproxy({ port: 15006, mark: 1337, mask: 0xffffffff }),
    t.mangle.on('PREROUTING').proto('tcp').jump('EX_IN'),
    t.mangle.on('PREROUTING').proto('tcp').mark(1337).saveMark(),
    t.mangle.on('EX_IN').proto('tcp').dport(8080).ctstate('RELATED', 'ESTABLISHED').jump('EX_DIVERT'),
    t.mangle.on('EX_IN').proto('tcp').jump('EX_TPROXY'),
    t.mangle.insert('EX_IN', 1).proto('tcp').in('lo').not.mark(1338).return(),
    t.mangle.on('OUTPUT').proto('tcp').connmark(1337).restoreMark(),
    t.nat.on('OUTPUT').jump('EX_OUTPUT'),
    t.nat.on('EX_OUTPUT').out('lo').not.dst(loopback).proto('tcp').not.dports(53, 15008).uid(1337).jump('EX_REDIRECT'),
    t.nat.on('EX_OUTPUT').not.gid(202).not.gid(203).return(),
    t.nat.on('EX_REDIRECT').proto('tcp').redirect(15001),
    t.raw.on('OUTPUT').proto('udp').dport(53).jump('EX_DNS'),
    t.raw.on('EX_DNS').proto('udp').dport(53).uid(1337).ctZone(1),
  ],
)

describe('a redirect of all that leaves', () => {
  test.each([
    ['tcp 10.0.0.5:80 uid 1000', '127.0.0.1', 15001],
    ['tcp [fd00::5]:80 uid 1000', '::1', 15001],
    ['tcp 10.0.0.5:80 uid 1337', '10.0.0.5', 80],
    ['tcp 127.0.0.1:80 uid 1000', '127.0.0.1', 80],
    ['udp 10.0.0.5:80 uid 1000', '10.0.0.5', 80],
    ['tcp 10.0.0.5:80 uid 1000 state ESTABLISHED', '10.0.0.5', 80],
    ['tcp 10.0.0.5:80 in eth0', '10.0.0.5', 80],
  ])('%s goes to %s port %i', (packet, address, port) => {
    expect(trace(simple, packet)).toMatchObject({ verdict: 'ACCEPT', destination: { address, port } })
  })

  test('who the owner is decides, so a packet without one is undecided, and the rule is named', () => {
    expect(trace(simple, 'tcp 10.0.0.5:80')).toMatchObject({
      verdict: 'undecided',
      reason: 'nat EX_OUTPUT rule 1: whether it matches is not known: -m owner --uid-owner 1337',
    })
  })

  test('its path is every rule it came to', () => {
    const { path } = trace(simple, 'tcp 10.0.0.5:80 uid 1000')
    expect(path.map(({ chain, index, matched }) => [chain, index, matched])).toEqual([
      ['OUTPUT', 1, true],
      ['EX_OUTPUT', 1, false],
      ['EX_OUTPUT', 2, true],
      ['EX_REDIRECT', 1, true],
    ])
  })
})

describe('a transparent proxy', () => {
  test.each([
    ['tcp 10.0.0.5:80 in eth0', { tproxy: { port: 15006 }, mark: 1337, connmark: 0 }],
    ['tcp 10.0.0.5:8080 in eth0 state ESTABLISHED', { mark: 1337 }],
    ['tcp 10.0.0.5:80 in lo mark 7', { verdict: 'ACCEPT', mark: 7 }],
    ['tcp 10.0.0.5:80 uid 5 gid 5 connmark 1337', { verdict: 'ACCEPT', mark: 1337 }],
    [
      'tcp 10.0.0.5:80 uid 1337 gid 202 out lo',
      { rewritten: 'REDIRECT', destination: { address: '127.0.0.1', port: 15001 } },
    ],
    ['tcp 10.0.0.5:53 uid 1337 gid 1 out lo', { destination: { address: '10.0.0.5', port: 53 } }],
    ['udp 10.0.0.5:53 uid 1337 gid 202', { verdict: 'ACCEPT', zone: 1 }],
  ])('%s', (packet, expected) => {
    expect(trace(proxy, packet)).toMatchObject(expected)
  })
})

describe('rules as they were saved', () => {
  const filter = (rules: string, policy = 'ACCEPT') =>
    parseSave(
      `*filter\n:INPUT ${policy} [0:0]\n:OUTPUT ACCEPT [0:0]\n:A - [0:0]\n:B - [0:0]\n${rules}\nCOMMIT\n`,
      'ipv4',
    )

  test.each([
    ['', 'DROP', 'DROP', 'policy of filter INPUT: DROP'],
    ['-A INPUT -p tcp -j REJECT', 'ACCEPT', 'REJECT', 'filter INPUT rule 1: REJECT'],
    ['-A INPUT -j RETURN\n-A INPUT -j DROP', 'ACCEPT', 'ACCEPT', ''],
    ['-A INPUT -g A\n-A INPUT -j DROP', 'ACCEPT', 'ACCEPT', ''],
    ['-A INPUT -j A\n-A INPUT -j DROP\n-A A -g B\n-A A -j ACCEPT', 'ACCEPT', 'DROP', 'filter INPUT rule 2: DROP'],
    ['-A INPUT -m limit --limit 3/min -j LOG\n-A INPUT -p udp -m limit --limit 3/min -j DROP', 'ACCEPT', 'ACCEPT', ''],
    [
      '-A INPUT -m limit --limit 3/min -j DROP',
      'ACCEPT',
      'undecided',
      'filter INPUT rule 1: whether it matches is not known: -m limit --limit 3/min',
    ],
    ['-A INPUT -j NFQUEUE', 'ACCEPT', 'undecided', 'filter INPUT rule 1: the target NFQUEUE is not modelled'],
    [
      '-A INPUT -j A\n-A A -j A',
      'ACCEPT',
      'undecided',
      'filter A rule 1: A is on the way already, a loop that the kernel refuses',
    ],
    ['-A INPUT -g A\n-A A -g B\n-A B -g A', 'ACCEPT', 'undecided', 'more than 10000 rules on the way'],
    ['-A INPUT -m addrtype --dst-type LOCAL -j DROP', 'ACCEPT', 'DROP', 'filter INPUT rule 1: DROP'],
  ])('%s with policy %s: %s', (rules, policy, verdict, reason) => {
    expect(trace(filter(rules, policy), 'tcp 10.0.0.5:80 in eth0 local 10.0.0.5')).toMatchObject({ verdict, reason })
  })

  test('of the other family decide nothing', () => {
    expect(trace(filter(''), 'tcp [::1]:80').verdict).toBe('undecided')
  })
})

describe('an explanation', () => {
  test('names every rule, what it did and the end', () => {
    expect(explain(trace(simple, 'tcp 10.0.0.5:80 uid 1000'))).toBe(`tcp 10.0.0.5:80 uid 1000
  nat OUTPUT
    ✓ OUTPUT 1: -p tcp -j EX_OUTPUT
    · EX_OUTPUT 1: -m owner --uid-owner 1337 -j RETURN
    ✓ EX_OUTPUT 2: ! -d 127.0.0.1/32 -j EX_REDIRECT
    ✓ EX_REDIRECT 1: -p tcp -j REDIRECT --to-ports 15001  → to 127.0.0.1 port 15001
ACCEPT to 127.0.0.1:15001
`)
  })

  test('as Mermaid is a line of the rules that matched', () => {
    expect(explain(trace(simple, 'tcp 10.0.0.5:80 uid 1337'), { format: 'mermaid' })).toBe(`flowchart TD
  packet(["tcp 10.0.0.5:80 uid 1337"])
  r0["nat OUTPUT: OUTPUT 1: -p tcp -j EX_OUTPUT"]
  packet --> r0
  r1["nat OUTPUT: EX_OUTPUT 1: -m owner --uid-owner 1337 -j RETURN"]
  r0 --> r1
  verdict(["ACCEPT"])
  r1 --> verdict
`)
  })
})

describe('the text of a packet', () => {
  test.each([
    'tcp 10.0.0.5:80 uid 1000',
    'udp [fd00::1]:53 from [fd00::2]:4000 in eth0 state NEW local fd00::1,10.0.0.1',
    'icmp 10.0.0.5 from 10.0.0.1 in eth0 out eth1 mark 0x1 connmark 0x2',
    '89 fd00::1 gid 0',
  ])('%s reads and prints', (text) => {
    expect(packetText(parsePacket(text))).toBe(text)
  })

  test.each([
    '',
    'tcp',
    'x 10.0.0.1',
    'tcp 10.0.0.1:70000',
    'tcp 10.0.0.1:80 uid',
    'tcp 10.0.0.1 size 5',
    'tcp ::1 from 10.0.0.1',
    'tcp 10.0.0.1 state OLD',
  ])('%j is none', (text) => {
    expect(() => parsePacket(text)).toThrow(expect.objectContaining({ code: 'PARSE' }))
  })
})

describe('the matchers', () => {
  const judge = traceMatchers
  test('hold, and fail with the explanation', () => {
    expect(judge.toRedirect.call({}, simple, 'tcp 10.0.0.5:80 uid 1', 15001).pass).toBe(true)
    const failed = judge.toRedirect.call({}, simple, 'tcp 10.0.0.5:80 uid 1337', 15001)
    expect(failed.pass).toBe(false)
    expect(failed.message()).toContain('✓ EX_OUTPUT 1')
    expect(judge.toPass.call({}, simple, 'tcp 10.0.0.5:80 uid 1337').pass).toBe(true)
    expect(judge.toBlock.call({}, simple, 'tcp 10.0.0.5:80 uid 1337').pass).toBe(false)
    expect(judge.toTproxy.call({}, proxy, 'tcp 10.0.0.5:80 in eth0', 15006).pass).toBe(true)
  })

  test('are methods of expect, typed', () => {
    expect(simple).toRedirect('tcp 10.0.0.5:80 uid 1', 15001)
    expect(simple).not.toRedirect({ protocol: 'tcp', dst: '10.0.0.5', dport: 80, uid: 1337 }, 15001)
    // @ts-expect-error a port is a number
    expect(() => expect(simple).toRedirect('tcp 10.0.0.5:80 uid 1', '15001')).toThrow('expected the packet')
  })

  test('an undecided trace fails, negated or not', () => {
    expect(judge.toPass.call({ isNot: false }, simple, 'tcp 10.0.0.5:80').pass).toBe(false)
    expect(judge.toPass.call({ isNot: true }, simple, 'tcp 10.0.0.5:80').pass).toBe(true)
  })
})
