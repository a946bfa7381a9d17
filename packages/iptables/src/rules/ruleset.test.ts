import { describe, expect, test } from 'vitest'
import { isIptablesError } from '../errors.ts'
import { ruleArgs } from '../text/rule-args.ts'
import type { TableSpec } from './builder/builder-types.ts'
import type { Draft } from './draft.ts'
import { chainsFor, type Rule } from './model.ts'
import { ruleset } from './ruleset.ts'

const pair = { ipv4: '127.0.0.1/32', ipv6: '::1/128' }

interface Untyped {
  on(chain: string): Draft
  insert(chain: string, position?: number): Draft
}

/** Calls `ruleset` without types, as JavaScript callers do. */
const untyped = (chains: object, build: (t: Record<string, Untyped>) => Rule[]) =>
  ruleset(chains as TableSpec, build as unknown as () => Rule[])

/** Message with which a rule is refused. */
function refusal(build: (t: Record<string, Untyped>) => Rule | Rule[], chains: object = everything): string {
  try {
    untyped(chains, (t) => [build(t)].flat())
  } catch (error) {
    if (isIptablesError(error) && error.code === 'INVALID_RULE') return error.message
    throw error
  }
  return 'accepted'
}

const everything = { filter: ['F'], nat: ['A', 'B'], mangle: ['M'], raw: ['R'] }
const at = (table: keyof typeof everything, chain: string) => (t: Record<string, Untyped>) => {
  const found = t[table]
  if (found === undefined) throw new Error(table)
  return found.on(chain)
}

describe('ruleset', () => {
  test('is frozen plain data that survives JSON', () => {
    const rules = ruleset({ nat: ['A'] }, (t) => [t.nat.on('A').not.dst(pair).uid(1337).return()])
    expect(JSON.parse(JSON.stringify(rules))).toEqual(rules)
    expect(Object.isFrozen(rules.rules[0]?.matches[0])).toBe(true)
    expect(() => Object.assign(rules.rules[0] ?? {}, { chain: 'B' })).toThrow(TypeError)
  })

  test('a builder can be reused: each continuation is independent', () => {
    const rules = ruleset({ nat: ['A'] }, (t) => {
      const tcp = t.nat.on('A').proto('tcp')
      return [tcp.dport(80).return(), tcp.return()]
    })
    expect(rules.rules.map((rule) => ruleArgs(rule, 'ipv4').join(' '))).toEqual([
      '-p tcp --dport 80 -j RETURN',
      '-p tcp -j RETURN',
    ])
  })

  test('a chain exists in a family if it has a rule or a jump to it', () => {
    const rules = ruleset({ nat: ['A', 'B', 'C'] }, (t) => [
      t.nat.on('A').only('ipv4').return(),
      t.nat.on('OUTPUT').only('ipv6').jump('B'),
    ])
    expect(chainsFor(rules, 'ipv4').map(({ name }) => name)).toEqual(['A'])
    expect(chainsFor(rules, 'ipv6').map(({ name }) => name)).toEqual(['B'])
  })

  test.for<[string, (t: Record<string, Untyped>) => Rule, RegExp]>([
    ['an unknown chain', (t) => at('nat', 'X')(t).return(), /nat: "X" is neither built in nor declared/],
    ['a built-in chain of another table', (t) => at('nat', 'FORWARD')(t).return(), /"FORWARD" is neither built in/],
    ['a jump to an undeclared chain', (t) => at('nat', 'A')(t).jump('M'), /nat A: "M" is not declared as a chain/],
    ['REDIRECT outside nat', (t) => at('mangle', 'M')(t).proto('tcp').redirect(1), /REDIRECT exists in table nat only/],
    ['REDIRECT in POSTROUTING', (t) => at('nat', 'POSTROUTING')(t).redirect(), /possible in PREROUTING and OUTPUT/],
    ['DROP in nat', (t) => at('nat', 'A')(t).drop(), /nat table does not filter/],
    ['TPROXY without a protocol', (t) => at('mangle', 'M')(t).tproxy({ port: 1 }), /TPROXY needs proto/],
    [
      'TPROXY with an invalid address',
      (t) =>
        at(
          'mangle',
          'M',
        )(t)
          .proto('tcp')
          .tproxy({ port: 1, on: { ipv4: '127.0.0.0/8', ipv6: '::1' } }),
      /tproxy on: "127\.0\.0\.0\/8" is not an IPv4 address/,
    ],
    ['TPROXY for not tcp', (t) => at('mangle', 'M')(t).not.proto('tcp').tproxy({ port: 1 }), /TPROXY needs proto/],
    ['CT outside raw', (t) => at('filter', 'F')(t).ctZone(1), /CT exists in table raw only/],
    ['a bare address for both families', (t) => at('nat', 'A')(t).dst('10.0.0.0/8').return(), /both families; give \{/],
    ['a port without a protocol', (t) => at('nat', 'A')(t).dport(80).return(), /dport\(\) needs a protocol/],
    ['a port before its protocol', (t) => at('nat', 'A')(t).dport(80).proto('tcp').return(), /needs a protocol/],
    ['a port of a protocol without', (t) => at('nat', 'A')(t).proto('gre').dport(80).return(), /needs a protocol/],
    ['REDIRECT to a port without protocol', (t) => at('nat', 'A')(t).redirect(80), /to a port needs a protocol/],
    ['icmp for both families', (t) => at('filter', 'F')(t).proto('icmp').drop(), /add \.only\('ipv4'\)/],
    ['owner in PREROUTING', (t) => at('nat', 'PREROUTING')(t).uid(1).return(), /uid\(\) is possible in OUTPUT/],
    ['an incoming interface in OUTPUT', (t) => at('nat', 'OUTPUT')(t).in('lo').return(), /no incoming interface/],
    ['an outgoing interface in INPUT', (t) => at('filter', 'INPUT')(t).out('lo').drop(), /no outgoing interface/],
    ['everything negated', (t) => at('nat', 'A')(t).not.dst({ ipv4: '0.0.0.0/0', ipv6: '::1' }).return(), /never/],
    ['two protocols', (t) => at('nat', 'A')(t).proto('tcp').proto('udp').return(), /proto\(\) stands twice/],
    ['two sources', (t) => at('nat', 'A')(t).src(pair).src(pair).return(), /src\(\) stands twice/],
    ['both families', (t) => at('nat', 'A')(t).only('ipv4').only('ipv6').return(), /only\(\) names both/],
    ['a double negation', (t) => at('nat', 'A')(t).not.not.uid(1).return(), /\.not is given twice/],
    ['a negated target', (t) => at('nat', 'A')(t).not.return(), /\.not must stand directly before a condition/],
    ['an octal-looking port', (t) => at('nat', 'A')(t).proto('tcp').dport('0022').return(), /"0022" is not a port/],
    [
      'a service name',
      (t) =>
        at(
          'nat',
          'A',
        )(t)
          .proto('tcp')
          .dport('http' as '1')
          .return(),
      /is not a port/,
    ],
    ['a port out of range', (t) => at('nat', 'A')(t).proto('tcp').dport(65536).return(), /65536 is not a port/],
    ['a fraction', (t) => at('nat', 'A')(t).proto('tcp').dport(80.5).return(), /80.5 is not a port/],
    ['a backward range', (t) => at('nat', 'A')(t).proto('tcp').dport('9:1').return(), /ends before it begins/],
    [
      '16 ports',
      (t) =>
        at(
          'nat',
          'A',
        )(t)
          .proto('tcp')
          .dports(1, ...Array(14).fill(2), '3')
          .return(),
      /16 ports|accepted/,
    ],
    ['an octal-looking uid', (t) => at('nat', 'A')(t).uid('0100').return(), /"0100" is out of range/],
    ['uid -1', (t) => at('nat', 'A')(t).uid(4294967295).return(), /out of range/],
    ['a strange user name', (t) => at('nat', 'A')(t).uid('a b').return(), /"a b" is not an id/],
    ['a netmask', (t) => at('nat', 'A')(t).only('ipv4').dst('10.0.0.0/255.0.0.0').return(), /not an IPv4 address/],
    ['a list of addresses', (t) => at('nat', 'A')(t).only('ipv4').dst('10.0.0.1,10.0.0.2').return(), /not an IPv4/],
    ['a host name', (t) => at('nat', 'A')(t).only('ipv4').dst('localhost').return(), /"localhost" is not an IPv4/],
    ['an address of the other family', (t) => at('nat', 'A')(t).only('ipv6').dst('10.0.0.1').return(), /not an IPv6/],
    ['a mark too large', (t) => at('mangle', 'M')(t).setMark(2 ** 32), /4294967296 is not a mark/],
    ['a long interface name', (t) => at('nat', 'A')(t).in('abcdefghijklmnop').return(), /not an interface name/],
    ['a wildcard in the middle', (t) => at('nat', 'A')(t).in('eth+0').return(), /not an interface name/],
    ['a comment of two lines', (t) => at('nat', 'A')(t).comment('a\nb').return(), /control characters/],
    [
      'a comment too long',
      (t) => at('nat', 'A')(t).comment('é'.repeat(128)).return(),
      /256 bytes are too long, the kernel stores at most 255/,
    ],
    [
      'icmpType without icmp',
      (t) => at('filter', 'F')(t).only('ipv4').icmpType(8).drop(),
      /icmpType\(\) needs proto\('icmp'\)/,
    ],
    [
      'an unknown type',
      (t) => at('filter', 'F')(t).only('ipv4').proto(1).icmpType('pingpong').drop(),
      /"pingpong" is not a type/,
    ],
    ['any type', (t) => at('filter', 'F')(t).only('ipv4').proto(1).icmpType(255).drop(), /255 means any type/],
    ['flags without tcp', (t) => at('filter', 'F')(t).proto('udp').syn().drop(), /syn\(\) needs proto\('tcp'\)/],
    ['flags twice', (t) => at('filter', 'F')(t).proto('tcp').syn().tcpFlags('ALL', 'NONE').drop(), /stands twice/],
    [
      'a flag outside the mask',
      (t) => at('filter', 'F')(t).proto('tcp').tcpFlags(['SYN'], ['ACK']).drop(),
      /ACK is not in the mask/,
    ],
    [
      'an IPv4 answer in IPv6',
      (t) => at('filter', 'F')(t).only('ipv6').reject('icmp-port-unreachable'),
      /is unknown in ipv6; expected one of icmp6-no-route/,
    ],
    [
      'one answer for both',
      (t) => at('filter', 'F')(t).reject('icmp-port-unreachable'),
      /both families; give \{ ipv4, ipv6 \}/,
    ],
    ['a reset without tcp', (t) => at('filter', 'F')(t).reject('tcp-reset'), /needs proto\('tcp'\)/],
    [
      'TCPMSS without SYN',
      (t) => at('mangle', 'M')(t).proto('tcp').setMss(1400),
      /TCPMSS needs proto\('tcp'\) and syn\(\)/,
    ],
    ['TCPMSS with not SYN', (t) => at('mangle', 'M')(t).proto('tcp').not.syn().setMss(1400), /TCPMSS needs/],
    [
      'an MSS too large',
      (t) => at('mangle', 'M')(t).proto('tcp').syn().setMss(65_500),
      /65500 is not an integer from 0 to 65495/,
    ],
    [
      'TCPMSS in raw',
      (t) => at('raw', 'R')(t).proto('tcp').syn().setMss(1400),
      /exists in table mangle and filter only/,
    ],
    [
      'MASQUERADE to ports without protocol',
      (t) => at('nat', 'A')(t).masquerade({ ports: 80 }),
      /to a port needs a protocol/,
    ],
    ['UDP-Lite to a port', (t) => at('nat', 'A')(t).proto('udplite').redirect(80), /to a port needs a protocol/],
    ['a port of UDP-Lite', (t) => at('nat', 'A')(t).proto('udplite').dport(80).return(), /use dports\(\)/],
    ['a port after a list', (t) => at('nat', 'A')(t).proto('tcp').dports(1, 2).sport(3).return(), /put it before them/],
    [
      'a long set name',
      (t) =>
        at(
          'nat',
          'A',
        )(t)
          .set({ ipv4: 'x'.repeat(32), ipv6: 'x' }, 'src')
          .return(),
      /not the name of an ipset \(1 to 31/,
    ],
    ['a set without dimension', (t) => at('nat', 'A')(t).only('ipv4').set('s').return(), /got 0 directions/],
    [
      'an unknown dimension',
      (t) =>
        at(
          'nat',
          'A',
        )(t)
          .only('ipv4')
          .set('s', 'up' as 'src')
          .return(),
      /"up" is neither/,
    ],
    ['a rate without unit', (t) => at('filter', 'F')(t).limit('3').drop(), /"3" is not a rate such as 3\/min/],
    ['a rate too fast', (t) => at('filter', 'F')(t).limit('10001/sec').drop(), /faster than the 10000\/sec/],
    ['a burst too slow', (t) => at('filter', 'F')(t).limit('1/day').drop(), /burst of 5 at 1\/day .* lower the burst/],
    [
      'a backward range of addresses',
      (t) => at('filter', 'F')(t).only('ipv4').srcRange('10.0.0.9-10.0.0.1').drop(),
      /ends before/,
    ],
    [
      'a network as a range',
      (t) => at('filter', 'F')(t).only('ipv4').srcRange('10.0.0.0/8').drop(),
      /not a range of ipv4/,
    ],
    ['a short mac', (t) => at('filter', 'F')(t).mac('02:00').drop(), /"02:00" is not an Ethernet address/],
    [
      'a probability above 1',
      (t) => at('filter', 'F')(t).statistic({ probability: 2 }).drop(),
      /2 is not a probability/,
    ],
    [
      'packet 3 of 3',
      (t) => at('filter', 'F')(t).statistic({ every: 3, packet: 3 }).drop(),
      /3 is not an integer from 0 to 2/,
    ],
    [
      'broadcast in both families',
      (t) => at('filter', 'F')(t).dstType('BROADCAST').drop(),
      /'BROADCAST'\) exists in ipv4 only/,
    ],
    ['an empty ct', (t) => at('raw', 'R')(t).ct({}), /at least one of helper/],
    ['two zones', (t) => at('raw', 'R')(t).ct({ zone: 1, zoneReply: 2 }), /one of zone, zoneOrig and zoneReply/],
    ['a helper without protocol', (t) => at('raw', 'R')(t).ct({ helper: 'ftp' }), /helper ftp needs the protocol/],
    [
      'a long log prefix',
      (t) => at('filter', 'F')(t).log('x'.repeat(30)),
      /log prefix: 30 bytes are too long, the kernel stores at most 29/,
    ],
    [
      'an unknown log level',
      (t) => at('filter', 'F')(t).log({ level: 'loud' as 'debug' }),
      /"loud" is not one of emerg/,
    ],
    ['an nflog group too large', (t) => at('filter', 'F')(t).nflog({ group: 65_536 }), /nflog group: 65536 is not/],
    [
      'a negated limit',
      (t) => at('filter', 'F')(t).not.limit('3/min').drop(),
      /\.not must stand directly before a condition, not before limit/,
    ],
    ['alternating marks', (t) => at('mangle', 'M')(t).mark(1).connmark(1).mark(2).drop(), /confuses alternating mark/],
    ['a raw target option', (t) => at('nat', 'A')(t).raw('-j', 'ACCEPT').return(), /"-j" is not allowed/],
    ['a joined option', (t) => at('nat', 'A')(t).raw('-jACCEPT').return(), /"-jACCEPT" is not allowed/],
    ['an abbreviated option', (t) => at('nat', 'A')(t).raw('--jum', 'ACCEPT').return(), /"--jum" is not allowed/],
    ['another table', (t) => at('nat', 'A')(t).raw('--table=filter').return(), /is not allowed/],
    ['a path as a match', (t) => at('nat', 'A')(t).raw('-m', '../evil').return(), /-m needs the name of a match/],
    ['a dangling negation', (t) => at('nat', 'A')(t).raw('-m', 'owner', '!').return(), /negation without an option/],
    [
      'the wrong protocol name',
      (t) =>
        at(
          'nat',
          'A',
        )(t)
          .proto('tpc' as 'tcp')
          .return(),
      /give its number/,
    ],
  ])('%s is refused with a clear message', ([, build, sentence]) => {
    expect(refusal(build)).toMatch(sentence)
  })

  test.for<[string, object, RegExp]>([
    ['an unknown table', { natt: ['A'] }, /"natt" is not a table/],
    ['a built-in chain', { nat: ['OUTPUT'] }, /chain OUTPUT in table nat is built in/],
    ['the built-in chain of another table', { nat: ['FORWARD'] }, /is built in/],
    ['the name of a target', { nat: ['REDIRECT'] }, /has the name of a target/],
    ['a blank in a name', { nat: ['A B'] }, /1 to 28 letters/],
    ['an option as a name', { nat: ['-j'] }, /1 to 28 letters/],
    ['29 characters', { nat: ['x'.repeat(29)] }, /1 to 28 letters/],
    ['a chain declared twice', { nat: ['A', 'A'] }, /declares a chain twice/],
  ])('%s cannot be declared as an own chain', ([, chains, sentence]) => {
    expect(refusal(() => [], chains)).toMatch(sentence)
  })

  test('a rule that the kernel would refuse when its chain is called is refused, and the message names the caller', () => {
    const built = (hook: string, family?: 'ipv4') =>
      refusal((t) => {
        const start = at('nat', hook)(t)
        return [
          at('nat', 'B')(t).uid(1).return(),
          at('nat', 'A')(t).only('ipv6').goto('B'),
          (family === undefined ? start : start.only(family)).jump('A'),
        ]
      })
    expect(built('PREROUTING')).toBe(
      'nat B (own chain): uid() is possible in OUTPUT and POSTROUTING only, but PREROUTING leads to this chain (ipv6)',
    )
    expect(built('OUTPUT')).toBe('accepted')
    expect(built('PREROUTING', 'ipv4')).toBe('accepted')
  })

  test('a rule of another ruleset is refused if its chain is not declared here', () => {
    const other = ruleset({ nat: ['OTHER'] }, (t) => [t.nat.on('OTHER').return()])
    expect(refusal(() => [...other.rules])).toMatch(/nat: chain "OTHER" is not declared in this ruleset/)
  })

  test('an insert beyond the end of an own chain is refused; in a built-in chain only the kernel can check it', () => {
    expect(refusal((t) => [t.nat?.insert('A', 2).return() ?? []].flat())).toMatch(
      /insert at 2, but the chain has 0 rules/,
    )
    expect(refusal((t) => [t.nat?.insert('OUTPUT', 9).return() ?? []].flat())).toBe('accepted')
    expect(refusal((t) => [t.nat?.insert('OUTPUT', 0).return() ?? []].flat())).toMatch(/0 is not an integer from 1/)
  })
})
