import { describe, expectTypeOf, test } from 'vitest'
import type { RuleBuilder } from './builder-types.ts'
import type { Draft } from './draft.ts'
import type { Ruleset } from './model.ts'
import { ruleset } from './ruleset.ts'

const pair = { ipv4: '127.0.0.1/32', ipv6: '::1/128' }

describe('ruleset types', () => {
  test('the example compiles', () => {
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

  test('a rule is finished by its target only', () => {
    ruleset({ nat: ['A'] }, (t) => [
      t.nat.on('A').return(),
      // @ts-expect-error a rule without a target is not a Rule
      t.nat.on('A').proto('tcp'),
    ])
  })

  test('a chain of another table, an unknown chain and an undeclared table do not compile', () => {
    ruleset({ nat: ['A'], mangle: ['B'], raw: [] }, (t) => [
      // @ts-expect-error FORWARD does not exist in nat
      t.nat.on('FORWARD').return(),
      // @ts-expect-error B belongs to mangle
      t.nat.on('B').return(),
      // @ts-expect-error misspelt
      t.nat.insert('PREROUTNIG', 1).return(),
      // @ts-expect-error raw declares no own chain
      t.raw.on('A').return(),
      // @ts-expect-error filter is not declared
      t.filter.on('INPUT').return(),
    ])
  })

  test('a misspelt table does not compile', () => {
    // @ts-expect-error natt is no table
    ruleset({ natt: ['A'] }, () => [])
  })

  test('a jump to an undeclared or built-in chain does not compile', () => {
    ruleset({ nat: ['A'], mangle: ['B'] }, (t) => [
      // @ts-expect-error B belongs to mangle
      t.nat.on('OUTPUT').jump('B'),
      // @ts-expect-error built-in chains cannot be jumped to
      t.nat.on('A').goto('OUTPUT'),
    ])
  })

  test('a target outside its table does not compile', () => {
    ruleset({ nat: ['A'], mangle: ['B'], raw: ['C'], filter: ['D'], security: ['E'] }, (t) => [
      // @ts-expect-error REDIRECT is in nat only
      t.mangle.on('B').proto('tcp').redirect(1),
      // @ts-expect-error DROP is not possible in nat
      t.nat.on('A').drop(),
      // @ts-expect-error TPROXY is in mangle only
      t.nat.on('A').proto('tcp').tproxy({ port: 1 }),
      // @ts-expect-error CT is in raw only
      t.filter.on('D').ctZone(1),
      // @ts-expect-error REJECT is in filter only
      t.security.on('E').reject(),
      t.raw.on('C').ctZone(1),
      t.filter.on('D').reject(),
      t.security.on('E').drop(),
    ])
  })

  test('a bare address in a rule for both families does not compile', () => {
    ruleset({ nat: ['A'] }, (t) => [
      // @ts-expect-error which family?
      t.nat.on('A').dst('10.0.0.0/8').return(),
      // @ts-expect-error which family?
      t.nat.on('A').not.src('::1').return(),
      // @ts-expect-error which family?
      t.nat.on('A').proto('tcp').dnat('10.0.0.1:80'),
      t.nat.on('A').only('ipv4').dst('10.0.0.0/8').return(),
      t.nat.on('A').only('ipv6').not.dst(pair).return(),
    ])
  })

  test('a rule cannot be restricted to both families one after the other', () => {
    ruleset({ nat: ['A'] }, (t) => [
      // @ts-expect-error already ipv4
      t.nat.on('A').only('ipv4').only('ipv6').return(),
    ])
  })

  test('.not is followed by a condition', () => {
    ruleset({ nat: ['A'] }, (t) => [
      // @ts-expect-error a comment cannot be negated
      t.nat.on('A').not.comment('x').return(),
      // @ts-expect-error a target cannot be negated
      t.nat.on('A').not.return(),
    ])
  })

  test('a table chosen at run time offers what both tables have', () => {
    ruleset({ nat: ['A'], mangle: ['A'] }, (t) => {
      const table = Math.random() > 0.5 ? t.nat : t.mangle
      return [table.on('PREROUTING').proto('tcp').dport(80).jump('A')]
    })
  })

  test('one class implements the builder of every table', () => {
    expectTypeOf<Draft>().toExtend<RuleBuilder<'nat', string>>()
    expectTypeOf<Draft>().toExtend<RuleBuilder<'mangle', string>>()
    expectTypeOf<Draft>().toExtend<RuleBuilder<'raw', string, 'ipv4'>>()
    expectTypeOf<Draft>().toExtend<RuleBuilder<'filter', string, 'ipv6'>>()
    expectTypeOf<Draft>().toExtend<RuleBuilder<'security', string>>()
  })
})
