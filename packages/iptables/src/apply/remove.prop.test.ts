import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyRuleset } from '../../test/random/arbitraries.ts'
import { iptables } from '../iptables.ts'
import { parseSave } from '../parse/saved-tables.ts'
import { isBuiltin, type Ruleset } from '../rules/model.ts'
import { removedState } from '../state/desired.ts'
import { planSteps } from '../state/plan.ts'
import { stepsText } from '../steps/steps.ts'
import { fakeKernel } from '../testing/fake-iptables.ts'
import { FakeTables } from '../testing/fake-tables.ts'
import { restoreText } from '../text/restore-text.ts'

/** Line of restore text of another program, made from the current rules. Refused lines change nothing. */
const tampering = fc.record({
  verb: fc.constantFrom('delete', 'repeat', 'jump', 'foreign jump', 'flush', 'unlink'),
  at: fc.nat(1000),
})

function change({ verb, at }: { verb: string; at: number }, text: string, rules: Ruleset): string {
  let table = ''
  const lines: { table: string; chain: string; rule: string }[] = []
  for (const line of text.split('\n')) {
    if (line.startsWith('*')) table = line.slice(1)
    const [, chain = '', rule = ''] = /^-A (\S+) ?(.*)$/.exec(line) ?? []
    if (chain !== '') lines.push({ table, chain, rule })
  }
  const line = lines[at % Math.max(1, lines.length)]
  const own = rules.chains[at % Math.max(1, rules.chains.length)]
  const within = (name: string, body: string) => `*${name}\n${body}\nCOMMIT\n`
  if (verb === 'delete' && line) return within(line.table, `-D ${line.chain} ${line.rule}`)
  if (verb === 'repeat' && line) return within(line.table, `-A ${line.chain} ${line.rule}`)
  if (own === undefined) return ''
  if (verb === 'jump') return within(own.table, `-I OUTPUT 1 -p 99 -j ${own.name}`)
  if (verb === 'foreign jump') return within(own.table, `:OTHER - [0:0]\n-A OTHER -g ${own.name}`)
  if (verb === 'flush') return within(own.table, `-F ${own.name}`)
  return within(own.table, `-F ${own.name}\n-X ${own.name}`)
}

test('blind removal leaves the same rules as removal after reading, for any foreign changes', async () => {
  let blind = 0
  await fc.assert(
    fc.asyncProperty(anyRuleset, fc.array(tampering, { maxLength: 3 }), async (rules, changes) => {
      const kernel = fakeKernel()
      const looking = new FakeTables('ipv4')
      const both = (text: string) => {
        const refused = looking.restore(text)
        const restore = () => kernel.tamper(text)
        if (refused === undefined) restore()
        else expect(restore).toThrow()
      }
      both('*filter\n-A OUTPUT -p 99 -j ACCEPT\n-A INPUT -j DROP\nCOMMIT\n')
      both(restoreText(rules, 'ipv4'))
      for (const each of changes) both(change(each, kernel.dump(), rules))

      const snapshot = parseSave(looking.save(), 'ipv4')
      expect(looking.restore(stepsText(planSteps(removedState(rules, 'ipv4'), snapshot)))).toBeUndefined()
      await iptables('host', { families: ['ipv4'], port: kernel.port }).remove(rules)

      expect(kernel.dump()).toBe(looking.save({ brief: true }))
      const expected = rules.rules.some(({ table, chain, family }) => family !== 'ipv6' && isBuiltin(table, chain))
      if (expected && kernel.commands.every(({ argv }) => argv[0] === 'iptables-restore')) blind++
    }),
    { numRuns: 300 },
  )
  expect(blind).toBeGreaterThan(20)
}, 60_000)
