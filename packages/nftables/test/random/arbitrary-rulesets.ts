import fc from 'fast-check'
import type { Chain, Ruleset, Table } from '../../src/rules/model.ts'
import { ruleOf } from './arbitrary-rules.ts'
import { namedSet } from './arbitrary-sets.ts'
import { type Family, isThere } from './arbitrary-values.ts'

const bases = [
  { type: 'filter', hook: 'input', priority: 0 },
  { type: 'filter', hook: 'forward', priority: -7 },
  { type: 'filter', hook: 'prerouting', priority: -300 },
  { type: 'filter', hook: 'output', priority: -150 },
  { type: 'nat', hook: 'prerouting', priority: -100 },
  { type: 'nat', hook: 'postrouting', priority: 105 },
  { type: 'nat', hook: 'output', priority: -100 },
  { type: 'route', hook: 'output', priority: -139 },
] as const

function tableOf(family: Family, number: number): fc.Arbitrary<Table> {
  const rules = fc.array(ruleOf(family), { maxLength: 6 })
  const chain = fc.record({ name: fc.constantFrom('a', 'b', 'c'), rules })
  const base = fc
    .record({ at: fc.nat(bases.length - 1), policy: fc.constantFrom('accept', 'drop') })
    .map(({ at, policy }): Chain => ({ name: `base${at}`, base: bases[at] ?? bases[0], policy, rules: [] }))
  return fc
    .record({
      sets: fc.tuple(namedSet('s0'), namedSet('s1')),
      chains: fc.uniqueArray(fc.oneof(chain, base), { maxLength: 4, selector: ({ name: each }) => each }),
    })
    .map(({ chains, sets }) => ({
      family,
      name: `t${number}`,
      sets: sets.filter(isThere),
      chains: [{ name: 'target', rules: [] }, ...chains],
    }))
}

/** Generator of random rulesets. No packet reaches a rule, because some hooks would refuse the rules. */
export const rulesets: fc.Arbitrary<Ruleset> = fc
  .array(fc.constantFrom('inet', 'ip', 'ip6'), { minLength: 1, maxLength: 3 })
  .chain((families) => fc.tuple(...families.map((family, at) => tableOf(family, at))))
  .map((tables) => ({ tables }))
