import fc from 'fast-check'
import { Draft } from '../../src/rules/draft.ts'
import type { BuiltinChain, Family, Rule, Ruleset, Table } from '../../src/rules/model.ts'
import { ruleset } from '../../src/rules/ruleset.ts'
import { anywhere, incoming, once, outgoing, type Step } from './arbitrary-conditions.ts'
import { type End, ends } from './arbitrary-targets.ts'

export { addressPair, commentText, setPair } from './arbitrary-conditions.ts'

/** Names of the user-defined chains in every random ruleset, by table. */
const ownChains = {
  filter: ['EX_F1', 'EX_F2', 'EX_F3'],
  mangle: ['EX_M1', 'EX_M2'],
  nat: ['EX_N1', 'EX_N2', 'EX_N3'],
  raw: ['EX_R1'],
} as const

interface Body {
  readonly steps: readonly Step[]
  readonly end: End
  readonly only: Family | null
}

interface Site {
  readonly table: keyof typeof ownChains
  readonly chain: string
  /** Built-in chain whose rules jump to the user-defined chain. No other built-in chain has such rules. */
  readonly from: BuiltinChain
  readonly bodies: fc.Arbitrary<Body[]>
}

const bodies = (where: 'in' | 'out', steps: fc.Arbitrary<Step>, end: fc.Arbitrary<End>, maxLength = 6) =>
  fc.array(
    fc.record({
      steps: fc.tuple(once(where), fc.array(steps, { maxLength: 3 })).map(([first, rest]) => [...first, ...rest]),
      end,
      only: fc.option(fc.constantFrom<Family>('ipv4', 'ipv6'), { freq: 4 }),
    }),
    { maxLength },
  )

const out = fc.oneof({ weight: 3, arbitrary: anywhere }, outgoing)
const into = fc.oneof({ weight: 3, arbitrary: anywhere }, incoming)

const sites: readonly Site[] = [
  { table: 'filter', chain: 'EX_F1', from: 'OUTPUT', bodies: bodies('out', out, ends.filter) },
  { table: 'filter', chain: 'EX_F3', from: 'INPUT', bodies: bodies('in', into, ends.filter, 2) },
  { table: 'mangle', chain: 'EX_M1', from: 'OUTPUT', bodies: bodies('out', out, ends.mangle) },
  { table: 'mangle', chain: 'EX_M2', from: 'PREROUTING', bodies: bodies('in', into, ends.mangleIn, 3) },
  { table: 'nat', chain: 'EX_N1', from: 'OUTPUT', bodies: bodies('out', out, ends.nat) },
  { table: 'nat', chain: 'EX_N3', from: 'POSTROUTING', bodies: bodies('out', out, ends.natOut, 2) },
  { table: 'raw', chain: 'EX_R1', from: 'OUTPUT', bodies: bodies('out', anywhere, ends.raw) },
]

/** Random rulesets that are valid on both back ends. */
export const anyRuleset: fc.Arbitrary<Ruleset> = fc.tuple(...sites.map((site) => site.bodies)).map((all) =>
  ruleset(ownChains, () =>
    sites.flatMap((site, index) => {
      const rules = (all[index] ?? []).flatMap((each) => tryRule(site, each))
      return rules.length === 0 ? [] : [new Draft(place(site.table, site.from)).jump(site.chain), ...rules]
    }),
  ),
)

const place = (table: Table, chain: string) => ({ table, chain, own: new Set<string>(Object.values(ownChains).flat()) })

/** Builds a random rule. Returns no rule for a combination that the builder refuses: other tests cover such errors. */
function tryRule({ table, chain }: Site, { steps, end, only }: Body): Rule[] {
  const start = new Draft(place(table, chain))
  try {
    return [end(steps.reduce((draft, step) => step(draft), only === null ? start : start.only(only)))]
  } catch {
    // Returns no rule, because the builder refused the random rule.
    return []
  }
}
