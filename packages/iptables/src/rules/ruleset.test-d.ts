import { assertType, describe, expectTypeOf, test } from 'vitest'
import type { RuleBuilder } from './builder/builder-types.ts'
import { Draft } from './draft.ts'
import type { Ruleset } from './model.ts'
import { ruleset } from './ruleset.ts'

const pair = { ipv4: '127.0.0.1/32', ipv6: '::1/128' }

describe('ruleset types', () => {
  test("the README's example compiles", () => {
    const rules = ruleset({ nat: ['EX_OUTPUT', 'EX_REDIRECT'], mangle: [] }, (t) => [
      t.nat.on('OUTPUT').proto('tcp').jump('EX_OUTPUT'),
      t.nat.on('EX_OUTPUT').uid(1337).return(),
      t.nat.on('EX_OUTPUT').not.dst(pair).jump('EX_REDIRECT'),
      t.nat.on('EX_REDIRECT').proto('tcp').redirect(15001),
      t.nat.insert('PREROUTING', 1).only('ipv4').src('10.0.0.0/8').return(),
      t.mangle.on('FORWARD').proto('tcp').dport(80).drop(),
    ])
    expectTypeOf(rules).toEqualTypeOf<Ruleset>()
  })

  test('only a target ends a rule', () => {
    ruleset({ nat: ['A'] }, (t) => [
      t.nat.on('A').return(),
      // @ts-expect-error A rule without a target is not a Rule.
      t.nat.on('A').proto('tcp'),
    ])
  })

  test('a chain of another table, an unknown chain and an undeclared table do not compile', () => {
    ruleset({ nat: ['A'], mangle: ['B'], raw: [] }, (t) => [
      // @ts-expect-error FORWARD does not exist in nat.
      t.nat.on('FORWARD').return(),
      // @ts-expect-error B belongs to mangle.
      t.nat.on('B').return(),
      // @ts-expect-error The name is misspelt.
      t.nat.insert('PREROUTNIG', 1).return(),
      // @ts-expect-error raw declares no own chain.
      t.raw.on('A').return(),
      // @ts-expect-error filter is not declared.
      t.filter.on('INPUT').return(),
    ])
  })

  test('a misspelt table does not compile', () => {
    // @ts-expect-error natt is not a table.
    ruleset({ natt: ['A'] }, () => [])
  })

  test('a jump to an undeclared or built-in chain does not compile', () => {
    ruleset({ nat: ['A'], mangle: ['B'] }, (t) => [
      // @ts-expect-error B belongs to mangle.
      t.nat.on('OUTPUT').jump('B'),
      // @ts-expect-error Rules cannot jump to built-in chains.
      t.nat.on('A').goto('OUTPUT'),
    ])
  })

  test('a target outside its table does not compile', () => {
    ruleset({ nat: ['A'], mangle: ['B'], raw: ['C'], filter: ['D'], security: ['E'] }, (t) => [
      // @ts-expect-error REDIRECT exists only in nat.
      t.mangle.on('B').proto('tcp').redirect(1),
      // @ts-expect-error DROP is not allowed in nat.
      t.nat.on('A').drop(),
      // @ts-expect-error TPROXY exists only in mangle.
      t.nat.on('A').proto('tcp').tproxy({ port: 1 }),
      // @ts-expect-error CT exists only in raw.
      t.filter.on('D').ctZone(1),
      // @ts-expect-error REJECT exists only in filter.
      t.security.on('E').reject(),
      t.raw.on('C').ctZone(1),
      t.filter.on('D').reject(),
      t.security.on('E').drop(),
    ])
  })

  test('a single address in a rule for both families does not compile', () => {
    ruleset({ nat: ['A'] }, (t) => [
      // @ts-expect-error The family is ambiguous.
      t.nat.on('A').dst('10.0.0.0/8').return(),
      // @ts-expect-error The family is ambiguous.
      t.nat.on('A').not.src('::1').return(),
      // @ts-expect-error The family is ambiguous.
      t.nat.on('A').proto('tcp').dnat('10.0.0.1:80'),
      t.nat.on('A').only('ipv4').dst('10.0.0.0/8').return(),
      t.nat.on('A').only('ipv6').not.dst(pair).return(),
    ])
  })

  test('a rule cannot be restricted to both families one after the other', () => {
    ruleset({ nat: ['A'] }, (t) => [
      // @ts-expect-error The rule is already restricted to ipv4.
      t.nat.on('A').only('ipv4').only('ipv6').return(),
    ])
  })

  test('.not must be followed by a condition', () => {
    ruleset({ nat: ['A'] }, (t) => [
      // @ts-expect-error A comment cannot be negated.
      t.nat.on('A').not.comment('x').return(),
      // @ts-expect-error A target cannot be negated.
      t.nat.on('A').not.return(),
    ])
  })

  test('a table chosen at run time offers the steps of all possible tables', () => {
    ruleset({ nat: ['A'], mangle: ['A'] }, (t) => {
      const table = Math.random() > 0.5 ? t.nat : t.mangle
      return [table.on('PREROUTING').proto('tcp').dport(80).jump('A')]
    })
  })

  test('a condition or target that the kernel refuses in a built-in chain does not compile', () => {
    ruleset({ nat: ['A'], mangle: [], filter: ['F'] }, (t) => [
      // @ts-expect-error Packets have no incoming interface here.
      t.nat.on('OUTPUT').in('lo').return(),
      // @ts-expect-error Packets have no outgoing interface here, and negation does not help.
      t.nat.on('PREROUTING').not.out('lo').return(),
      // @ts-expect-error The socket is not known yet.
      t.nat.on('PREROUTING').uid(1).return(),
      // @ts-expect-error Local packets have no sender's hardware address.
      t.filter.on('OUTPUT').mac('02:00:00:00:00:01').drop(),
      // @ts-expect-error The kernel looks sockets up only for incoming packets.
      t.filter.on('FORWARD').socket().drop(),
      // @ts-expect-error The destination is already decided here.
      t.nat.on('POSTROUTING').redirect(),
      // @ts-expect-error The source is decided later.
      t.nat.on('OUTPUT').snat({ ipv4: '10.0.0.1', ipv6: 'fd00::1' }),
      // @ts-expect-error Allowed only in POSTROUTING.
      t.nat.on('INPUT').masquerade(),
      // @ts-expect-error Allowed only in PREROUTING.
      t.mangle.on('OUTPUT').proto('tcp').tproxy({ port: 1 }),
      // @ts-expect-error The path is not known yet.
      t.mangle.on('PREROUTING').proto('tcp').syn().clampMssToPmtu(),
      t.mangle.on('PREROUTING').proto('tcp').syn().setMss(1400),
      t.nat.on('A').in('lo').uid(1).redirect(),
      t.nat.on('POSTROUTING').masquerade(),
      t.filter.on('INPUT').socket({ transparent: true }).drop(),
    ])
  })

  test('a step of one family does not compile in the other one', () => {
    ruleset({ filter: ['F'] }, (t) => [
      // @ts-expect-error The rule must be restricted to ipv4 first.
      t.filter.on('F').proto(1).icmpType('echo-request').drop(),
      // @ts-expect-error The step for IPv6 is icmpv6Type.
      t.filter.on('F').only('ipv6').proto('icmpv6').icmpType('echo-request').drop(),
      // @ts-expect-error This answer exists only in IPv4.
      t.filter.on('F').only('ipv6').reject('icmp-port-unreachable'),
      // @ts-expect-error Each family needs an answer.
      t.filter.on('F').reject('icmp-port-unreachable'),
      // @ts-expect-error IPv6 has no broadcast.
      t.filter.on('F').dstType('BROADCAST').drop(),
      // @ts-expect-error A set belongs to one family.
      t.filter.on('F').set('s', 'src').drop(),
      // @ts-expect-error Each family needs a range.
      t.filter.on('F').srcRange('10.0.0.1-10.0.0.9').drop(),
      t.filter.on('F').only('ipv6').proto('icmpv6').not.icmpv6Type('neighbour-solicitation').drop(),
      t.filter.on('F').only('ipv4').dstType('BROADCAST').reject('icmp-net-prohibited'),
      t.filter.on('F').only('ipv4').set('s', 'src').srcRange('10.0.0.1-10.0.0.9').drop(),
    ])
  })

  test('conditions without negation and unknown words do not compile', () => {
    ruleset({ filter: ['F'], raw: ['R'] }, (t) => [
      // @ts-expect-error A limit cannot be negated.
      t.filter.on('F').not.limit('3/min').drop(),
      // @ts-expect-error A socket match cannot be negated.
      t.filter.on('F').not.socket().drop(),
      // @ts-expect-error The unit is unknown.
      t.filter.on('F').limit('3/week').drop(),
      // @ts-expect-error The flag is unknown.
      t.filter.on('F').proto('tcp').tcpFlags(['SIN'], ['SYN']).drop(),
      // @ts-expect-error The level is unknown.
      t.filter.on('F').log({ level: 'loud' }),
      // @ts-expect-error A probability or `every` is missing.
      t.filter.on('F').statistic({}).drop(),
      // @ts-expect-error The event is unknown.
      t.raw.on('R').ct({ ctevents: ['old'] }),
    ])
  })

  test('one class implements the builder of every table', () => {
    const draft = new Draft({ table: 'nat', chain: 'C', own: new Set() })
    assertType<RuleBuilder<'nat', string>>(draft)
    assertType<RuleBuilder<'mangle', string, 'both', string, true>>(draft)
    assertType<RuleBuilder<'raw', string, 'ipv4'>>(draft)
    assertType<RuleBuilder<'filter', string, 'ipv6'>>(draft)
    assertType<RuleBuilder<'security', string>>(draft)
  })
})
