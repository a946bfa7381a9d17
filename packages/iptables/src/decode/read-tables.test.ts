import { type Expression, encodeExpressions, type NftChain, type NftRule } from '@cni/nftables/wire'
import { describe, expect, test } from 'vitest'
import { encodeRule } from '../encode/encode-rule.ts'
import { parseSave } from '../parse/saved-tables.ts'
import { savedText, tablesFrom } from './read-tables.ts'

const chainIn = (table: string, chain: string, more: Partial<NftChain> = {}): NftChain => ({
  ...{ family: 'ip', table, chain, handle: 1n },
  ...more,
})
const base: NftChain['base'] = { type: 'filter', hook: 'input', priority: 0 }

const ruleIn = (table: string, chain: string, expressions: readonly Expression[]): NftRule => ({
  ...{ family: 'ip', table, chain, handle: 7n, expressions, bytes: encodeExpressions(expressions) },
})
const counted = (count: bigint): Expression => ({ name: 'counter', bytes: count, packets: count })
const verdict = (data: Extract<Expression, { name: 'immediate' }>['data']): Expression => ({
  ...{ name: 'immediate', dreg: 0, data },
})

describe('tables', () => {
  test('have all built-in chains, existing or not, then their own chains by name', () => {
    const read = tablesFrom(
      [
        chainIn('nat', 'B'),
        chainIn('nat', 'A'),
        chainIn('nat', 'OUTPUT', { base, policy: 'accept' }),
        chainIn('mangle', 'FORWARD', { base, policy: 'drop' }),
        chainIn('mine', 'A'),
        chainIn('raw', 'EX', { family: 'ip6' }),
      ],
      [ruleIn('nat', 'OUTPUT', [counted(0n), verdict({ verdict: 'jump', chain: 'A' })])],
      'ipv4',
    )
    expect([...read.tables.keys()]).toEqual(['mangle', 'nat'])
    expect([...(read.tables.get('nat')?.keys() ?? [])]).toEqual([
      ...['PREROUTING', 'INPUT', 'OUTPUT', 'POSTROUTING', 'A', 'B'],
    ])
    expect(read.tables.get('nat')?.get('A')).toEqual({ rules: [] })
    expect(read.tables.get('mangle')?.get('FORWARD')).toEqual({ policy: 'DROP', rules: [] })
    expect(read.tables.get('mangle')?.get('INPUT')).toEqual({ policy: 'ACCEPT', rules: [] })
    expect(
      [...parseSave(savedText(read), 'ipv4').tables].map(([table, chains]) => [table, [...chains.keys()]]),
    ).toEqual([...read.tables].map(([table, chains]) => [table, [...chains.keys()]]))
  })

  test('print a chain of any name as one word of one line', () => {
    const read = tablesFrom([chainIn('nat', 'a\n-P INPUT DROP'), chainIn('nat', 'b "')], [], 'ipv4')
    expect(savedText(read)).toContain(':"a\ufffd-P INPUT DROP" - [0:0]\n:"b \\"" - [0:0]\n')
  })
})

describe('a rule', () => {
  const only = (rule: NftRule) => {
    const found = tablesFrom([chainIn(rule.table, rule.chain)], [rule], 'ipv4')
      .tables.get('filter')
      ?.get('EX')?.rules[0]
    if (found === undefined) throw new Error('no rule')
    return found
  }

  test('has the form of the written rule, whatever its counters are', () => {
    const encoded = encodeRule(
      { ...{ table: 'filter', chain: 'EX', matches: [{ match: 'uid', owner: '7' }], target: { target: 'ACCEPT' } } },
      'ipv4',
    )
    if (encoded === undefined) throw new Error('not encoded')
    const expressions = encoded.expressions.map((each) => (each.name === 'counter' ? counted(5n) : each))
    const rule = ruleIn('filter', 'EX', expressions)
    expect(only(rule).form).toBe(encodeExpressions(encoded.expressions).toString('latin1'))
    expect(only(rule).source).toBe(rule)
    expect(rule.bytes).toEqual(encodeExpressions(expressions))
  })

  test('includes its own comment in its form, also if the comment looks like a counter', () => {
    const counter = encodeExpressions([counted(5n)])
    const info = Buffer.concat([Buffer.alloc(4), counter])
    const rule = ruleIn('filter', 'EX', [{ name: 'match', module: 'comment', revision: 0, info }])
    expect(only(rule).form).toContain(counter.toString('latin1'))
  })

  test.each<[string, readonly Expression[]]>([
    ['A', [counted(1n), verdict({ verdict: 'jump', chain: 'A' })]],
    ['A', [counted(1n), verdict({ verdict: 'goto', chain: 'A' })]],
    ['DROP', [counted(1n), verdict({ verdict: 'drop' })]],
    ['CT', [counted(1n), { name: 'target', module: 'NOTRACK', revision: 0, info: Buffer.alloc(0) }]],
    ['NFLOG', [counted(1n), { name: 'log', group: 0 }]],
    ['', [counted(1n)]],
    ['', []],
  ])('has the target %j without decoding the text', (target, expressions) => {
    expect(only(ruleIn('filter', 'EX', expressions)).target).toBe(target)
  })

  test('without an iptables text is printed as its bytes and its target', () => {
    const quota: Expression = { name: 'raw', of: 'quota', data: Uint8Array.of(8, 0, 1, 0, 1, 0, 0, 0) }
    const rule = ruleIn('filter', 'EX', [quota, counted(9n), verdict({ verdict: 'goto', chain: 'A' })])
    const { text, form, target, key } = only(rule)
    expect(text).toBe(`-m nft --expressions ${Buffer.from(form ?? '', 'latin1').toString('hex')} -g A`)
    expect(target).toBe('A')
    const again = parseSave(`*filter\n:EX - [0:0]\n-A EX ${text}\nCOMMIT\n`, 'ipv4').tables.get('filter')?.get('EX')
    expect(again?.rules.map((each) => [each.text, each.target, each.key])).toEqual([[text, 'A', key]])
  })
})
