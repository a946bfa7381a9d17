import { describe, expect, test } from 'vitest'
import { iptables } from '../iptables.ts'
import { fakeKernel } from '../testing/fake-iptables.ts'
import { restoreText } from '../text/restore-text.ts'
import type { Ruleset } from './model.ts'

const accept = { target: { target: 'accept' }, matches: [] }

describe.each([
  ['a chain with a line break', { chains: [{ table: 'nat', name: 'A\n-A OUTPUT -j DROP' }], rules: [] }],
  ['a rule in a chain with a line break', { chains: [], rules: [{ ...accept, table: 'nat', chain: 'A\n-F' }] }],
  ['a rule in a chain with a blank', { chains: [], rules: [{ ...accept, table: 'nat', chain: 'OUTPUT -p tcp' }] }],
  ['an unknown table', { chains: [], rules: [{ ...accept, table: 'nat\nCOMMIT', chain: 'OUTPUT' }] }],
  ['no list of rules', { chains: [] }],
])('a ruleset from a file with %s', (_, data) => {
  const rules: Ruleset = JSON.parse(JSON.stringify(data))

  test('is refused by the functions that print', () => {
    expect(() => restoreText(rules, 'ipv4')).toThrow(expect.objectContaining({ code: 'INVALID_RULE' }))
  })

  test.each(['apply', 'verify', 'diff', 'remove'] as const)(
    'is refused by %s before a program starts',
    async (verb) => {
      const kernel = fakeKernel()
      await expect(iptables('host', { port: kernel.port })[verb](rules)).rejects.toMatchObject({ code: 'INVALID_RULE' })
      expect(kernel.commands).toEqual([])
    },
  )
})
