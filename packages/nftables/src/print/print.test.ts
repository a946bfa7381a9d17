import { expect, test } from 'vitest'
import { decodeStatements } from '../decode/statements.ts'
import { encodeRule } from '../encode/encode-rule.ts'
import { printTables } from '../index.ts'
import { canonicalStatement } from '../rules/canonical.ts'
import type { Chain, Ruleset } from '../rules/model.ts'
import type { Statement } from '../rules/statement.ts'
import { fakeKernel } from '../testing/fake-kernel.ts'
import { Batch } from '../wire/batch/batch.ts'
import { addElements, addSet } from '../wire/dumps/sets.ts'
import { decodeExpressions, encodeExpressions } from '../wire/expressions/expression.ts'
import { printRuleset } from './print-ruleset.ts'
import { ruleText } from './rule.ts'

const hostile = 'x"\n}\ntable ip evil {\u001b[2J'
const shown = 'x"\\n}\\ntable ip evil {\\u001b[2J'

test('names and comments of other programs cannot break out of their lines', () => {
  const nft = fakeKernel().open()
  const chain = { family: 'ip', table: hostile, chain: hostile } as const
  const set = { family: 'ip', table: hostile, set: hostile, keyType: 13, keyLength: 2 } as const
  const batch = new Batch().addTable(chain).addChain(chain)
  addElements(addSet(batch, set), set, [{ key: Uint8Array.of(0, 80), comment: hostile }])
  batch.addRule({ ...chain, expressions: [{ name: 'counter' }], comment: hostile })
  nft.commit(batch)
  expect(printTables(nft).split('\n')).toEqual([
    `table ip ${shown} {`,
    `\tset ${shown} {`,
    '\t\ttype inet_service',
    `\t\telements = { 80 comment "${shown}" }`,
    '\t}',
    '',
    `\tchain ${shown} {`,
    `\t\tcounter packets 0 bytes 0 comment "${shown}"`,
    '\t}',
    '}',
    '',
  ])
})

test('unknown expressions are printed in brackets, with their attributes', () => {
  const expressions = [
    { name: 'payload', dreg: 1, base: 'link', offset: 6, len: 6 },
    { name: 'raw', of: 'osf', data: Uint8Array.of(1, 2) },
    { name: 'match', module: 'owner', revision: 1, info: Uint8Array.of(0) },
  ] as const
  const statements = [{ kind: 'l4proto', value: 'tcp' }, { kind: 'raw', expressions }, { kind: 'accept' }] as const
  expect(ruleText({ statements }, 'ip')).toBe(
    'meta l4proto tcp [payload dreg 1 base link offset 6 len 6] [osf data 0x0102] xt match "owner" accept',
  )
})

test('a ruleset is printed as nft lists it after apply; stateless omits counters', () => {
  const rules: Chain['rules'] = [
    {
      statements: [
        { kind: 'l4proto', value: 'tcp' },
        { kind: 'tcp dport', value: { set: [443, 80] } },
        { kind: 'counter' },
      ],
    },
  ]
  const base = { type: 'nat', hook: 'output', priority: -100 } as const
  const given: Ruleset = {
    tables: [{ family: 'inet', name: 'ex', comment: 'ours', sets: [], chains: [{ name: 'out', base, rules }] }],
  }
  expect(printRuleset(given, { stateless: true })).toBe(
    [
      'table inet ex {',
      '\tcomment "ours"',
      '',
      '\tchain out {',
      '\t\ttype nat hook output priority -100; policy accept;',
      '\t\ttcp dport { 80, 443 } counter',
      '\t}',
      '}',
      '',
    ].join('\n'),
  )
})

test.each<[Statement, string]>([
  [{ kind: 'ct state', value: { value: [], mask: ['new', 'invalid'] } }, 'ct state ! invalid,new'],
  [{ kind: 'ct status', value: { value: ['dnat'], mask: ['dnat'] } }, 'ct status & dnat == dnat'],
  [
    { kind: 'ct status', value: { value: ['snat', 'dnat'], mask: ['snat', 'dnat'] } },
    'ct status snat,dnat / snat,dnat',
  ],
  [{ kind: 'th dport', value: { value: 1, mask: 1 } }, 'th dport & 1 == 1'],
])('a comparison of bits with any value is encoded, decoded and printed: %j', (statement, text) => {
  const given = canonicalStatement(statement, '')
  const { expressions } = encodeRule({ statements: [given] }, { family: 'inet', isInterval: () => false })
  const read = decodeStatements('inet', decodeExpressions(encodeExpressions(expressions)), new Map())
  expect(read).toEqual([given])
  expect(ruleText({ statements: read }, 'inet')).toBe(text)
})

test('!= with a mask and an empty value throws, because it means any of the bits', () => {
  const none = { kind: 'ct state', op: '!=', value: { value: [], mask: ['new'] } } as const
  expect(() => canonicalStatement(none, 'x')).toThrow(
    'x: ct state: != with an empty value matches any word of the mask',
  )
})

test('a NAT range that is a whole network is printed without brackets before its port, others with brackets', () => {
  const to = (address: { from: string; to: string }): Statement => ({ kind: 'snat', family: 'ip6', address, port: 1 })
  expect(ruleText({ statements: [to({ from: '::', to: '::1' })] }, 'ip6')).toBe('snat to ::/127:1')
  expect(ruleText({ statements: [to({ from: '::1', to: '::2' })] }, 'ip6')).toBe('snat to [::1]-[::2]:1')
})
