import { describe, expect, test } from 'vitest'
import { ruleset } from '../rules/ruleset.ts'
import { fakeIptables, fakeKernel } from './fake-iptables.ts'

const rules = ruleset({ filter: ['EX'] }, (t) => [t.filter.on('INPUT').jump('EX'), t.filter.on('EX').drop()])

describe('fakeIptables', () => {
  test('applies, dumps, verifies and removes without a kernel', async () => {
    const fake = fakeIptables()
    expect((await fake.apply(rules)).plan).toBe('fresh')
    expect(fake.dump()).toBe('*filter\n:EX - [0:0]\n-A INPUT -j EX\n-A EX -j DROP\nCOMMIT\n')
    await fake.verify(rules)
    await fake.remove(rules)
    expect(fake.dump('ipv6')).toBe('')
  })

  test('reports drift after tampering', async () => {
    const fake = fakeIptables({ families: ['ipv4'] })
    await fake.apply(rules)
    fake.tamper('*filter\n-F EX\nCOMMIT\n')
    expect((await fake.diff(rules)).missing).toEqual([
      { family: 'ipv4', table: 'filter', chain: 'EX', rule: '-j DROP' },
    ])
  })

  test('records the programs that would run', async () => {
    const fake = fakeIptables({ backend: 'iptables-legacy', families: ['ipv6'] })
    await fake.apply(rules)
    expect(fake.commands).toEqual([
      {
        argv: ['ip6tables-restore', '--noflush', '--wait=30'],
        input: '*filter\n-N EX\n-A INPUT -j EX\n-A EX -j DROP\nCOMMIT\n',
      },
    ])
  })
})

describe('fakeKernel refuses the same texts as the kernel, and keeps the tables committed before the error', () => {
  test.for<[string, string]>([
    ['-N X\n-N X', 'line 6 failed: Chain already exists.'],
    ['-A NOPE -j ACCEPT', 'line 5 failed: No chain/target/match by that name.'],
    ['-D INPUT -j ACCEPT', 'line 5 failed: Bad rule (does a matching rule exist in that chain?).'],
    ['-I INPUT 2 -j ACCEPT', 'line 5 failed: Index of insertion too big.'],
    ['-A INPUT -j no_chain', "line 6 failed: Chain 'no_chain' does not exist."],
    ['-N X\n-A INPUT -j X\n-X X', "line 8 failed: Chain 'X' does not exist."],
    ['-N X\n-A X -j DROP\n-X X', 'line 7 failed: Directory not empty.'],
    ['-Z INPUT', 'line 5 failed: unknown command -Z.'],
  ])('%j: %s', ([lines, message]) => {
    const kernel = fakeKernel()
    expect(() => kernel.tamper(`*nat\n-N KEPT\nCOMMIT\n*filter\n${lines}\nCOMMIT\n`)).toThrow(message)
    expect(kernel.dump()).toBe('*nat\n:KEPT - [0:0]\nCOMMIT\n')
  })

  test('a text that ends before COMMIT', () => {
    expect(() => fakeKernel().tamper('*filter\n-N X\n')).toThrow('COMMIT expected')
  })
})
