import { tempNetns } from '@cni/netns/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { iptables } from '../src/iptables.ts'
import { parseSave } from '../src/parse/snapshot.ts'
import { families } from '../src/rules/model.ts'
import { wantedState } from '../src/state/wanted.ts'
import { anyRuleset } from './arbitraries.ts'

test.for(['nft', 'legacy'] as const)(
  'on %s the kernel gives back every ruleset as it was written, rule by rule',
  { timeout: 120_000 },
  async (backend) => {
    await using pod = await tempNetns()
    const ipt = iptables(pod, { backend })
    let rulesSeen = 0
    await fc.assert(
      fc.asyncProperty(anyRuleset, async (rules) => {
        await ipt.apply(rules)
        try {
          for (const family of families) {
            const text = await ipt.save(family)
            const snapshot = parseSave(text, family)
            for (const [table, { own, builtin }] of wantedState(rules, family).tables) {
              for (const [chain, wanted] of [...own, ...builtin]) {
                const there = snapshot.tables.get(table)?.get(chain)?.rules ?? []
                rulesSeen += wanted.length
                const show = (each: { key: string; text: string }[]) =>
                  each.map(({ key, text: line }) => `${key}  ${line}`)
                expect(
                  there.map(({ key }) => key),
                  show(there).join('\n'),
                ).toEqual(wanted.map(({ key }) => key))
              }
            }
          }
          expect((await ipt.apply(rules)).plan).toBe('unchanged')
        } finally {
          await ipt.remove(rules)
        }
        for (const family of families) expect(await ipt.save(family)).not.toMatch(/^-A|EX_/m)
      }),
      { numRuns: 40 },
    )
    expect(rulesSeen).toBeGreaterThan(300)
  },
)
