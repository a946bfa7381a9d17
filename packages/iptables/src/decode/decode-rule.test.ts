import { type Expression, encodeExpressions, type NftRule } from '@cni/nftables/wire'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dialectRows, dialects, expressionsOf } from '../../test/dialects.ts'
import { anyRuleset } from '../../test/random/arbitraries.ts'
import { encodeRule } from '../encode/encode-rule.ts'
import { parseSave, SavedRule } from '../parse/saved-tables.ts'
import { type Family, families, type Rule } from '../rules/model.ts'
import { ReadRule } from './read-rule.ts'

const kernelRule = (bytes: Buffer): NftRule => ({
  ...{ family: 'ip', table: 'filter', chain: 'EX', handle: 7n, bytes, expressions: [] },
})
const read = (expressions: readonly Expression[], family: Family = 'ipv4') =>
  new SavedRule(new ReadRule(kernelRule(encodeExpressions(expressions)), family), family)

describe.each(dialects)('as %s encodes it', (dialect) => {
  const rows = dialectRows.flatMap((row) => row.families.map((family) => ({ ...row, family })))

  test.each(rows)('decodes $text in $family', (row) => {
    const rule = read(expressionsOf(row, dialect, row.family), row.family)
    expect(rule.text).toBe(row.text)
    expect(rule.target).toBe(new SavedRule(row.text, row.family).target)
    expect(rule.key).toBe(new SavedRule(row.text, row.family).key)
  })
})

const loaded: Expression = { name: 'meta', key: 'mark', dreg: 1 }
const tcp: readonly Expression[] = [
  { name: 'meta', key: 'l4proto', dreg: 1 },
  { name: 'cmp', sreg: 1, op: 'eq', data: Uint8Array.of(6) },
]
const dport: Expression = { name: 'payload', dreg: 1, base: 'transport', offset: 2, len: 2 }
const is80: Expression = { name: 'cmp', sreg: 1, op: 'eq', data: Uint8Array.of(0, 80) }
const drop: Expression = { name: 'immediate', dreg: 0, data: { verdict: 'drop' } }
const source: Expression = { name: 'payload', dreg: 1, base: 'network', offset: 12, len: 4 }
const and = (...mask: number[]): Expression => ({
  ...{ name: 'bitwise', sreg: 1, dreg: 1, len: mask.length },
  ...{ mask: Uint8Array.from(mask), xor: new Uint8Array(mask.length) },
})
const cmp = (...data: number[]): Expression => ({ name: 'cmp', sreg: 1, op: 'eq', data: Uint8Array.from(data) })

test('an unknown answer of REJECT has no iptables text', () => {
  const info = Uint8Array.of(2, 0, 0, 0)
  const rule = read([{ name: 'target', module: 'REJECT', revision: 0, info }], 'ipv6')
  expect(rule.text).toMatch(/^-m nft --expressions [0-9a-f]+ -j REJECT$/)
  expect(rule.target).toBe('REJECT')
})

describe('has no iptables text', () => {
  test.each<[string, readonly Expression[]]>([
    ['a module that is not modelled', [{ name: 'match', module: 'length', revision: 0, info: new Uint8Array(8) }]],
    ['a revision that is not', [{ name: 'match', module: 'mark', revision: 0, info: new Uint8Array(16) }]],
    [
      'bits that are not',
      [{ name: 'match', module: 'socket', revision: 3, info: Uint8Array.of(8, 0, 0, 0, 0, 0, 0, 0) }],
    ],
    [
      'a structure that is longer',
      [{ name: 'match', module: 'comment', revision: 0, info: new Uint8Array(304).fill(65, 296) }],
    ],
    ['a port without a protocol', [dport, is80]],
    ['a port twice', [...tcp, dport, is80, dport, is80]],
    ['two protocols', [...tcp, ...tcp]],
    ['a rule with a load without a comparison', [loaded, drop]],
    ['a rule with two comparisons of one load', [...tcp, dport, is80, is80]],
    ['a rule with a comparison without a load', [is80]],
    ['a mask of another length', [source, and(255, 255), cmp(10, 0, 0, 0)]],
    ['a mask with holes', [source, and(255, 0, 255, 0), cmp(10, 0, 1, 0)]],
    ['bits that the mask clears', [source, and(255, 0, 0, 0), cmp(10, 0, 0, 1)]],
    ['more bytes than are loaded', [source, cmp(10, 0, 0, 1, 1)]],
    ['another register', [{ ...source, dreg: 2 }, cmp(10, 0, 0, 1)]],
    ['a word of nf_tables', [{ name: 'ct', dreg: 1, key: 'state' }]],
    ['two counters', [{ name: 'counter' }, { name: 'counter' }]],
    ['something behind the end', [drop, { name: 'counter' }]],
    ['two ends', [{ name: 'log', group: 1 }, drop]],
    ['a log of the kernel', [{ name: 'log', prefix: 'a' }]],
    ['a limit that matches above the rate', [{ name: 'limit', rate: 3n, unit: 60n, burst: 5, flags: 1 }]],
    ['a limit of no rate', [{ name: 'limit', rate: 0n, unit: 60n, burst: 5 }]],
    ['a limit per week', [{ name: 'limit', rate: 3n, unit: 604_800n, burst: 5 }]],
  ])('%s', (_, expressions) => {
    const { text, form } = read(expressions)
    expect(text).toContain(`-m nft --expressions ${Buffer.from(form ?? '', 'latin1').toString('hex')}`)
  })
})

test.each<[string, Rule['matches']]>([
  ['! -i + -j ACCEPT', [{ match: 'in', name: '+', not: true }]],
  ['-p ipip -j ACCEPT', [{ match: 'proto', protocol: 'ipip' }]],
  ['-p ipencap -j ACCEPT', [{ match: 'proto', protocol: '4' }]],
  ['-m statistic --mode random --probability 0.00000000093 -j ACCEPT', [{ match: 'random', probability: 6.98e-10 }]],
])('%s decodes to the encoded rule', (text, matches) => {
  const rule = encodeRule({ table: 'filter', chain: 'EX', matches, target: { target: 'ACCEPT' } }, 'ipv4')
  expect(read(rule?.expressions ?? []).text).toBe(text)
})

test('any name is printed as one word of one line', () => {
  const rule = read([{ name: 'immediate', dreg: 0, data: { verdict: 'jump', chain: 'a\n-A "INPUT' } }])
  expect(rule.text).toBe('-j "a\ufffd-A \\"INPUT"')
  const odd = read([{ name: 'meta', key: 'iifname', dreg: 1 }, cmp(...Buffer.from('e 0\n\0'))])
  expect(odd.text).toBe('-i "e 0\ufffd"')
})

/** Random rulesets, encoded by this package. */
const encoded = fc
  .tuple(
    anyRuleset.filter(({ rules }) => rules.length > 0),
    fc.constantFrom(...families),
    fc.nat(),
  )
  .map(([{ rules }, family, at]) => {
    const found = rules.flatMap((rule) => ((rule.family ?? family) === family ? (encodeRule(rule, family) ?? []) : []))
    return { family, expressions: found[at % Math.max(1, found.length)]?.expressions ?? [] }
  })

/** False for counters of modules, and for fields that the printed text does not contain. */
const isKept = ({ module }: { module: string }, at: number) =>
  !(module === 'statistic' && at >= 12 && at < 16) && !(module === 'CT' && at < 4)

test('a rule with one changed bit is a different rule', () => {
  fc.assert(
    fc.property(encoded, fc.nat(), fc.nat(), fc.nat(7), ({ family, expressions }, which, where, bit) => {
      const modules = expressions.filter((each) => each.name === 'match' || each.name === 'target')
      const module = modules[which % Math.max(1, modules.length)]
      if (module === undefined) return
      const at = where % module.info.length
      fc.pre(isKept(module, at))
      const info = Uint8Array.from(module.info)
      info[at] = (info[at] ?? 0) ^ (1 << bit)
      const other = expressions.map((each) => (each === module ? { ...module, info } : each))
      expect(read(other, family).text).not.toBe(read(expressions, family).text)
    }),
    { numRuns: 400 },
  )
})

test('any bytes of a rule have a text that parses as the same rule', () => {
  const changed = fc
    .tuple(encoded, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }))
    .map(([{ expressions }, changes]) => {
      const bytes = Buffer.from(encodeExpressions(expressions))
      for (const [at, value] of changes) if (bytes.length > 0) bytes[at % bytes.length] = value
      return bytes
    })
  const noise = fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes))
  fc.assert(
    fc.property(fc.oneof(changed, noise), fc.constantFrom(...families), (bytes, family) => {
      const rule = new SavedRule(new ReadRule(kernelRule(bytes), family), family)
      const saved = parseSave(`*filter\n-A EX ${rule.text}\nCOMMIT\n`, family).tables.get('filter')?.get('EX')?.rules
      expect(saved?.map(({ text, target, key }) => ({ text, target, key }))).toEqual([
        // Control characters in chain names of nf_tables are replaced in the text.
        { text: rule.text.trim(), target: rule.target.replace(/\p{Cc}/gu, '\ufffd'), key: rule.key },
      ])
    }),
    { numRuns: 400 },
  )
})
