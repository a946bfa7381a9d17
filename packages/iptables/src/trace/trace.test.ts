import { packetText, parsePacket } from '@cni/types/packet'
import { describe, expect, test } from 'vitest'
import { parseSave } from '../parse/saved-tables.ts'
import { ruleset } from '../rules/ruleset.ts'
import { type TraceMatchers, traceMatchers } from '../testing/trace-matchers.ts'
import { explain } from './explain.ts'
import type { TraceOptions } from './options.ts'
import { trace } from './trace.ts'

// Same declaration as in the guide: vitest 4 and 5 declare their own matchers differently.
declare global {
  // biome-ignore lint/style/noNamespace: Chai declares its assertions in a namespace
  namespace Chai {
    interface Assertion extends TraceMatchers {}
  }
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

describe('a redirect of all outgoing packets', () => {
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

  test('a packet without an owner is undecided if the owner decides, and the reason names the rule', () => {
    expect(trace(simple, 'tcp 10.0.0.5:80')).toMatchObject({
      verdict: 'undecided',
      reason: 'nat EX_OUTPUT rule 1: whether it matches is not known: -m owner --uid-owner 1337',
    })
  })

  test('the path contains every rule that the packet reached', () => {
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

describe('saved rules', () => {
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

  test('are undecided for a packet of the other family', () => {
    expect(trace(filter(''), 'tcp [::1]:80').verdict).toBe('undecided')
  })
})

describe('missing facts about a packet', () => {
  const drops = (match: string, family: 'ipv4' | 'ipv6' = 'ipv4') =>
    parseSave(`*filter\n:INPUT ACCEPT [0:0]\n-A INPUT ${match} -j DROP\n`, family)
  const packet = 'tcp 10.0.0.5:80 from 10.0.0.9:5000 in eth0'
  const sets = { A: ['10.0.0.9'], B: ['10.0.0.0/24,tcp:80'], C: ['10.0.1.0-10.0.1.9'], D: [] }

  test.each<[string, TraceOptions, string]>([
    ['-m set --match-set A src', {}, 'undecided'],
    ['-m set --match-set A src', { sets }, 'DROP'],
    ['-m set ! --match-set A src', { sets }, 'ACCEPT'],
    ['-m set --match-set A dst', { sets }, 'ACCEPT'],
    ['-m set --match-set B dst,dst', { sets }, 'DROP'],
    ['-m set --match-set B dst,src', { sets }, 'ACCEPT'],
    ['-m set --match-set C dst', { sets }, 'ACCEPT'],
    ['-m set --match-set D dst', { sets }, 'ACCEPT'],
    ['-m set --match-set toString dst', { sets }, 'undecided'],
    ['-m limit --limit 3/min', {}, 'undecided'],
    ['-m limit --limit 3/min', { limit: 'within' }, 'DROP'],
    ['-m limit --limit 3/min', { limit: 'exceeded' }, 'ACCEPT'],
    ['-m statistic --mode random --probability 0.5', {}, 'undecided'],
    ['-m statistic --mode random --probability 0.5', { statistic: 'hit' }, 'DROP'],
    ['-m statistic --mode random ! --probability 0.5', { statistic: 'hit' }, 'ACCEPT'],
    ['-m statistic --mode nth --every 1 --packet 0', {}, 'DROP'],
    ['-m recent --rcheck', {}, 'undecided'],
    ['-m recent --rcheck', { assume: { '-m recent --rcheck': true } }, 'DROP'],
    ['-m recent --rcheck', { assume: { '-m recent --rcheck': false } }, 'ACCEPT'],
    ['-m tcp -p tcp --syn', {}, 'DROP'],
    ['-m socket --transparent', {}, 'undecided'],
    ['-m mac --mac-source 02:00:00:00:00:01', {}, 'undecided'],
    ['-m pkttype --pkt-type unicast', {}, 'undecided'],
  ])('%s with %j: %s', (match, options, verdict) => {
    expect(trace(drops(match), packet, options).verdict).toBe(verdict)
  })

  test.each([
    ['-p icmp -m icmp --icmp-type 8', 'icmp 10.0.0.5 in eth0 type 8/0', 'DROP'],
    ['-p icmp -m icmp --icmp-type 3/1', 'icmp 10.0.0.5 in eth0 type 3/0', 'ACCEPT'],
    ['-p icmp -m icmp --icmp-type 3/1', 'icmp 10.0.0.5 in eth0', 'undecided'],
    ['-p tcp -m tcp --tcp-flags SYN,ACK ACK', 'tcp 10.0.0.5:1 in eth0 flags ACK,PSH', 'DROP'],
    ['-p tcp -m tcp --tcp-flags SYN,ACK ACK', 'tcp 10.0.0.5:1 in eth0 state ESTABLISHED', 'undecided'],
    ['-m iprange --src-range 10.0.0.1-10.0.0.9', 'tcp 10.0.0.5:1 from 10.0.0.9 in eth0', 'DROP'],
    ['-m iprange --src-range 10.0.0.1-10.0.0.9', 'tcp 10.0.0.5:1 from 10.0.1.1 in eth0', 'ACCEPT'],
    ['-m mac ! --mac-source 02:00:00:00:00:01', 'tcp 10.0.0.5:1 in eth0 mac 02:00:00:00:00:02', 'DROP'],
    ['-m mac ! --mac-source 02:00:00:00:00:01', 'tcp 127.0.0.1:1 in lo', 'ACCEPT'],
    ['-m pkttype --pkt-type multicast', 'udp 224.0.0.1:1 in eth0 pkttype multicast', 'DROP'],
    ['-m socket --transparent', 'tcp 10.0.0.5:1 in eth0 socket plain', 'ACCEPT'],
    ['-m socket', 'tcp 10.0.0.5:1 in eth0 socket plain', 'DROP'],
  ])('%s, %s: %s', (match, given, verdict) => {
    expect(trace(drops(match), given).verdict).toBe(verdict)
  })

  test('on lo only a packet without a connection can get a zone', () => {
    const rules = parseSave('*raw\n-A PREROUTING -j CT --zone 5\n-A PREROUTING -m state --state NEW -j DROP\n', 'ipv4')
    expect(trace(rules, 'tcp 127.0.0.1:1 in lo state INVALID')).toMatchObject({ verdict: 'DROP', zone: 5 })
    expect(trace(rules, 'tcp 127.0.0.1:1 in lo state ESTABLISHED').verdict).toBe('ACCEPT')
  })

  test('IPv6: every address type that routes do not decide must match', () => {
    const local = 'tcp [fd00::1]:1 in eth0 local fd00::1'
    expect(trace(drops('-m addrtype --dst-type LOCAL', 'ipv6'), local).verdict).toBe('DROP')
    expect(trace(drops('-m addrtype --dst-type LOCAL,MULTICAST', 'ipv6'), local).verdict).toBe('ACCEPT')
    expect(trace(drops('-m addrtype --dst-type LOCAL,UNICAST', 'ipv6'), local).verdict).toBe('DROP')
  })

  test('an assumption is recorded in the path', () => {
    const found = trace(drops('-m recent --rcheck'), packet, { assume: { '-m recent --rcheck': true } })
    expect(found.path[0]?.assumed).toEqual(['-m recent --rcheck'])
    expect(explain(found)).toContain('INPUT 1: -m recent --rcheck -j DROP  (assumed: -m recent --rcheck)')
  })

  test('a set that a rule changed is unknown afterwards', () => {
    const text = '*filter\n-A INPUT -j SET --add-set A src\n-A INPUT -m set --match-set A src -j DROP\n'
    expect(trace(parseSave(text, 'ipv4'), packet, { sets: { A: ['10.0.0.9'] } }).verdict).toBe('undecided')
  })

  test('in INPUT nat comes before security on nft and after it on legacy', () => {
    const rules = parseSave(
      '*nat\n-A INPUT -j SNAT --to-source 10.0.0.3\n*security\n-A INPUT -s 10.0.0.9 -j DROP\n',
      'ipv4',
    )
    expect(trace(rules, packet)).toMatchObject({ verdict: 'ACCEPT', source: { address: '10.0.0.3' } })
    expect(trace(rules, packet, { backend: 'iptables-legacy' }).verdict).toBe('DROP')
  })
})

describe('an explanation', () => {
  test('names every rule, its effect and the result', () => {
    expect(explain(trace(simple, 'tcp 10.0.0.5:80 uid 1000'))).toBe(`tcp 10.0.0.5:80 uid 1000
  nat OUTPUT
    ✓ OUTPUT 1: -p tcp -j EX_OUTPUT
    · EX_OUTPUT 1: -m owner --uid-owner 1337 -j RETURN
    ✓ EX_OUTPUT 2: ! -d 127.0.0.1/32 -j EX_REDIRECT
    ✓ EX_REDIRECT 1: -p tcp -j REDIRECT --to-ports 15001  → to 127.0.0.1 port 15001
ACCEPT to 127.0.0.1:15001
`)
  })

  test('as Mermaid is a sequence of the rules that matched', () => {
    expect(explain(trace(simple, 'tcp 10.0.0.5:80 uid 1337'), { format: 'mermaid' })).toBe(`flowchart TD
  packet(["tcp 10.0.0.5:80 uid 1337"])
  subgraph h0["nat OUTPUT"]
    r0["OUTPUT 1: -p tcp -j EX_OUTPUT"]
    r1["EX_OUTPUT 1: -m owner --uid-owner 1337 -j RETURN"]
  end
  verdict(["ACCEPT"])
  packet --> r0
  r0 --> r1
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
    'tcp 10.0.0.5:80 flags SYN,ACK mac 02:00:00:00:00:01 pkttype broadcast socket none',
    'tcp 10.0.0.5:80 flags NONE',
    'icmp 10.0.0.5 type 3/1',
  ])('%s is parsed and printed', (text) => {
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
    'tcp 10.0.0.1 flags SIN',
    'tcp 10.0.0.1 toString 5',
    'icmp 10.0.0.1 type 256',
    'icmp 10.0.0.1 mac 02',
    'icmp 10.0.0.1 socket maybe',
  ])('%j is refused', (text) => {
    expect(() => parsePacket(text)).toThrow(expect.objectContaining({ code: 'PARSE' }))
  })

  test('a packet of an unknown protocol is refused', () => {
    const packet = { protocol: 'tpc', dst: '10.0.0.5', dport: 80, uid: 1000 }
    expect(() => trace(simple, packet)).toThrow('packet: "tpc" is not a protocol')
    expect(trace(simple, { ...packet, protocol: '6' }).rewritten).toBe('REDIRECT')
  })
})

describe('the matchers', () => {
  const judge = traceMatchers
  test('pass, or fail with the explanation', () => {
    expect(judge.toRedirect.call({}, simple, 'tcp 10.0.0.5:80 uid 1', 15001).pass).toBe(true)
    const failed = judge.toRedirect.call({}, simple, 'tcp 10.0.0.5:80 uid 1337', 15001)
    expect(failed.pass).toBe(false)
    expect(failed.message()).toContain('✓ EX_OUTPUT 1')
    expect(judge.toPass.call({}, simple, 'tcp 10.0.0.5:80 uid 1337').pass).toBe(true)
    expect(judge.toBlock.call({}, simple, 'tcp 10.0.0.5:80 uid 1337').pass).toBe(false)
    expect(judge.toTproxy.call({}, proxy, 'tcp 10.0.0.5:80 in eth0', 15006).pass).toBe(true)
  })

  test('distinguish drops from rejects, and name chains', () => {
    const rules = parseSave('*filter\n-A OUTPUT -p udp -j REJECT\n-A OUTPUT -p tcp -j C\n-A C -j DROP\n', 'ipv4')
    expect(rules).toBlock('tcp 10.0.0.5:80', { by: 'DROP' })
    expect(rules).toBlock('udp 10.0.0.5:80', { by: 'REJECT' })
    expect(rules).not.toBlock('udp 10.0.0.5:80', { by: 'DROP' })
    expect(rules).toBlock('udp 10.0.0.5:80')
    expect(rules).toVisit('tcp 10.0.0.5:80', 'C')
    expect(rules).not.toVisit('icmp 10.0.0.5', 'C')
    expect(rules).not.toBlock('icmp 10.0.0.5')
  })

  test('work as functions without expect', () => {
    expect(traceMatchers.toRedirect(simple, 'tcp 10.0.0.5:80 uid 1', 15001).pass).toBe(true)
  })

  test('are typed methods of expect', () => {
    expect(simple).toRedirect('tcp 10.0.0.5:80 uid 1', 15001)
    expect(simple).not.toRedirect({ protocol: 'tcp', dst: '10.0.0.5', dport: 80, uid: 1337 }, 15001)
    // @ts-expect-error A port is a number.
    expect(() => expect(simple).toRedirect('tcp 10.0.0.5:80 uid 1', '15001')).toThrow('expected the packet')
  })

  test('an undecided trace fails, also with .not', () => {
    expect(judge.toPass.call({ isNot: false }, simple, 'tcp 10.0.0.5:80').pass).toBe(false)
    expect(judge.toPass.call({ isNot: true }, simple, 'tcp 10.0.0.5:80').pass).toBe(true)
  })
})
