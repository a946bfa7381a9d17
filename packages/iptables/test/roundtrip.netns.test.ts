import { execFileSync } from 'node:child_process'
import { netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { times } from '../../../test/deep.ts'
import { iptables } from '../src/iptables.ts'
import { parseSave } from '../src/parse/saved-tables.ts'
import { families, type Ruleset } from '../src/rules/model.ts'
import { desiredState } from '../src/state/desired.ts'
import { inMode, modes } from './modes.ts'
import { anyRuleset, setPair } from './random/arbitraries.ts'

/** Number of random rulesets for each back end. */
const runs = times(30)

/** Rulesets per run: starting programs is the slow part. */
const together = 15
const manyRules: fc.Arbitrary<Ruleset> = fc
  .array(anyRuleset, { minLength: 1, maxLength: together, size: 'max' })
  .map((all) => ({ chains: all[0]?.chains ?? [], rules: all.flatMap(({ rules }) => rules) }))

const sets = `create ${setPair.ipv4} hash:ip,port
create ${setPair.ipv6} hash:ip,port family inet6
`

test.for(modes)(
  'on $mode the kernel returns every ruleset as written, rule by rule',
  { timeout: 120_000 + runs * 1000 },
  async (mode) => {
    await using pod = await tempNetns()
    netns.run(pod, () => execFileSync('ipset', ['restore'], { input: sets }))
    const ipt = inMode(mode, pod)
    // Only programs can print sets, so rules with sets are compared in the programs' text.
    const shown = iptables(pod, { backend: mode.backend, programs: 'always' })
    let rulesSeen = 0
    await fc.assert(
      fc.asyncProperty(manyRules, async (rules) => {
        await ipt.apply(rules)
        try {
          for (const family of families) {
            const text = await shown.save(family)
            const snapshot = parseSave(text, family)
            for (const [table, { own, builtin }] of desiredState(rules, family).tables) {
              for (const [chain, desired] of [...own, ...builtin]) {
                const there = snapshot.tables.get(table)?.get(chain)?.rules ?? []
                rulesSeen += desired.length
                const show = (each: { key: string; text: string }[]) =>
                  each.map(({ key, text: line }) => `${key}  ${line}`)
                expect(
                  there.map(({ key }) => key),
                  show(there).join('\n'),
                ).toEqual(desired.map(({ key }) => key))
              }
            }
          }
          expect((await ipt.apply(rules)).plan).toBe('unchanged')
        } finally {
          await ipt.remove(rules)
        }
        for (const family of families) expect(await ipt.save(family)).not.toMatch(/^-A|EX_/m)
      }),
      { numRuns: Math.ceil(runs / together) * 2 },
    )
    expect(rulesSeen).toBeGreaterThan(runs * 5)
  },
)
