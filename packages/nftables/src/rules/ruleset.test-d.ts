import { describe, expectTypeOf, test } from 'vitest'
import { base, chain, map, set } from './builder/parts.ts'
import type { Ruleset } from './model.ts'
import { nftRuleset } from './ruleset.ts'

const output = base('nat', 'output', -100)

describe('nftRuleset types', () => {
  test('the example compiles', () => {
    const rules = nftRuleset('inet', { ex: { output, 'ex-output': chain, 'ex-redirect': chain } }, (t) => [
      t.ex.on('output').counter().jump('ex-output'),
      t.ex
        .on('ex-output')
        .oifname('lo')
        .ip('daddr')
        .not('127.0.0.1/32')
        .tcp('dport')
        .not([53, 15008])
        .skuid(1337)
        .counter()
        .return(),
      t.ex.on('ex-redirect').l4proto('tcp').counter().redirect(15001).comment('to the proxy'),
    ])
    expectTypeOf(rules).toEqualTypeOf<Ruleset>()
  })

  test('a wrong table and an undeclared chain do not compile', () => {
    nftRuleset('inet', { a: { output, own: chain }, b: { other: chain } }, (t) => [
      // @ts-expect-error c is not declared
      t.c.on('output').drop(),
      // @ts-expect-error other is a chain of b
      t.a.on('other').drop(),
      // @ts-expect-error other is a chain of b
      t.a.on('own').jump('other'),
      // @ts-expect-error misspelt
      t.a.on('output').jump('onw'),
      // @ts-expect-error nothing can jump to a base chain
      t.a.on('own').goto('output'),
    ])
  })

  test('an undeclared set, a set with other keys and a map instead of a set do not compile', () => {
    nftRuleset(
      'inet',
      { a: { output, pods: set('ipv4_addr'), ports: map('inet_service', 'verdict'), c: set('inet_service') } },
      (t) => [
        t.a.on('output').ip('daddr', { named: 'pods' }).accept(),
        t.a.on('output').ip('daddr').not({ named: 'pods' }).accept(),
        t.a.on('output').vmap('tcp dport', { named: 'ports' }),
        // @ts-expect-error misspelt
        t.a.on('output').ip('daddr', { named: 'pod' }).accept(),
        // @ts-expect-error ports are not addresses
        t.a.on('output').ip('daddr', { named: 'c' }).accept(),
        // @ts-expect-error addresses of the other family
        t.a.on('output').ip6('daddr', { named: 'pods' }).accept(),
        // @ts-expect-error a map is not a set
        t.a.on('output').tcp('dport', { named: 'ports' }).accept(),
        // @ts-expect-error a set is not a map
        t.a.on('output').vmap('tcp dport', { named: 'c' }),
        // @ts-expect-error a chain is not a set
        t.a.on('output').ip('daddr', { named: 'output' }).accept(),
      ],
    )
  })

  test('an address of the other family does not compile, a string of unknown value does', () => {
    const known: string = '10.0.0.1'
    nftRuleset('inet', { a: { output } }, (t) => [
      t.a.on('output').ip('daddr', '10.0.0.0/8').ip('saddr', known).accept(),
      t.a.on('output').ip6('daddr', 'fd00::/8').ip6('saddr', known).accept(),
      t.a.on('output').ip6('daddr', ['fd00::/8', '::1']).accept(),
      t.a.on('output').ip('daddr', { from: '10.0.0.1', to: '10.0.0.9' }).accept(),
      // @ts-expect-error IPv4 after ip6()
      t.a.on('output').ip6('daddr', '10.0.0.0/8').accept(),
      // @ts-expect-error the same, negated
      t.a.on('output').ip6('daddr').not('127.0.0.1').accept(),
      // @ts-expect-error one address of the list is IPv4
      t.a.on('output').ip6('daddr', ['fd00::/8', '10.0.0.1']).accept(),
      // @ts-expect-error IPv6 after ip()
      t.a.on('output').ip('saddr', '::1').accept(),
      // @ts-expect-error the end of the range
      t.a.on('output').ip('saddr', { from: '10.0.0.1', to: '::1' }).accept(),
    ])
  })

  test('a condition of the other family does not compile in a table of a single family', () => {
    nftRuleset('ip', { a: { output } }, (t) => [
      t.a.on('output').ip('daddr', '10.0.0.1').accept(),
      // @ts-expect-error a table of IPv4
      t.a.on('output').ip6('daddr', '::1').accept(),
    ])
    nftRuleset('ip6', { a: { output } }, (t) => [
      // @ts-expect-error a table of IPv6
      t.a.on('output').ip('daddr', '10.0.0.1').accept(),
    ])
  })

  test('a statement that needs a protocol does not compile without one', () => {
    nftRuleset('inet', { n: { output }, m: { pre: base('filter', 'prerouting', -150), own: chain } }, (t) => [
      t.n.on('output').redirect(),
      t.n.on('output').udp('dport', 53).redirect(15053),
      t.m.on('pre').l4proto('tcp').tproxy('ip', 15006).markSet(1337).accept(),
      t.m.on('own').tcp('dport').not(1).tproxy('ip6', 15006).accept(),
      // @ts-expect-error a port needs a protocol
      t.n.on('output').redirect(15001),
      // @ts-expect-error a port needs a protocol
      t.m.on('pre').tproxy('ip', 15006),
      // @ts-expect-error a mark is not a protocol
      t.m.on('own').mark(1).tproxy('ip', 15006),
    ])
  })

  test('a statement for nat chains, or for a hook, does not compile in other chains', () => {
    nftRuleset(
      'inet',
      {
        n: { output, own: chain, post: base('nat', 'postrouting', 100) },
        f: { in: base('filter', 'input', 0), own: chain },
      },
      (t) => [
        t.n.on('own').l4proto('tcp').redirect(15001),
        t.n.on('own').masquerade(),
        t.n.on('post').snat('ip', '10.0.0.1'),
        t.n.on('output').l4proto('tcp').dnat('ip', '10.0.0.1', 80),
        // @ts-expect-error not a nat chain
        t.f.on('in').redirect(),
        // @ts-expect-error no nat chain can jump to it
        t.f.on('own').masquerade(),
        // @ts-expect-error masquerade is for postrouting only
        t.n.on('output').masquerade(),
        // @ts-expect-error redirect is for prerouting and output only
        t.n.on('post').redirect(),
        // @ts-expect-error tproxy is for prerouting only
        t.f.on('in').l4proto('tcp').tproxy('ip', 1),
      ],
    )
  })

  test('unknown words do not compile', () => {
    nftRuleset('inet', { a: { output } }, (t) => [
      t.a.on('output').ct('state', ['established', 'related']).accept(),
      t.a.on('output').ct('state', 'new').accept(),
      // @ts-expect-error no such state
      t.a.on('output').ct('state', 'old').accept(),
      // @ts-expect-error no such field
      t.a.on('output').tcp('port', 80).accept(),
      // @ts-expect-error an interface prefix is written as { prefix }
      t.a.on('output').oifname({ begins: 'eth' }).accept(),
      // @ts-expect-error no such unit
      t.a.on('output').limit({ rate: 3, per: 'fortnight' }).accept(),
    ])
  })

  test('a finished rule takes only a comment', () => {
    nftRuleset('inet', { a: { output } }, (t) => [
      t.a.on('output').accept().comment('x'),
      // @ts-expect-error the rule is finished
      t.a.on('output').accept().counter(),
    ])
  })

  test('tables and chains can be chosen at run time', () => {
    const tables: Record<string, Record<string, typeof chain | typeof output>> = { a: { output, own: chain } }
    nftRuleset('inet', tables, (t) => {
      const table = t.a
      return table === undefined ? [] : [table.on('own').l4proto('tcp').redirect(1), table.on('output').jump('own')]
    })
  })
})
