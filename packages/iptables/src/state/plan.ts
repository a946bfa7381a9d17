import type { SavedChain, SavedRule, SavedTables } from '../parse/saved-tables.ts'
import { isBuiltin, type Table } from '../rules/model.ts'
import { deleteSteps, placed } from '../steps/delete-steps.ts'
import type { Step, Steps } from '../steps/steps.ts'
import { type Alignment, alignBuiltin } from './align-builtin.ts'
import type { Wanted, WantedRule, WantedTable } from './desired.ts'
import { builtinsOf, ownNames, sameContent } from './diff.ts'

/** Plans the changes from a family's existing rules to the ruleset's rules. */
export function planSteps(wanted: Wanted, snapshot: SavedTables): Steps {
  const steps = new Map<Table, readonly Step[]>()
  for (const [table, state] of [...wanted.tables].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const list = planTable(table, state, snapshot.tables.get(table) ?? new Map<string, SavedChain>())
    if (list.length > 0) steps.set(table, list)
  }
  return steps
}

// internal

function planTable(table: Table, state: WantedTable, chains: ReadonlyMap<string, SavedChain>): Step[] {
  const rewritten = [...state.own].filter(([name, rules]) => {
    const current = chains.get(name)
    return current === undefined || !sameContent(rules, current.rules)
  })
  const gone = state.absent.filter((name) => chains.has(name))
  const builtins = builtinsOf(table, state, chains)
  return [
    ...rewritten.map(([chain]): Step => ({ step: 'renew', chain })),
    ...gone.map((chain): Step => ({ step: 'flush', chain })),
    ...rewritten.flatMap(([chain, rules]) => rules.map((rule): Step => ({ step: 'append', chain, rule }))),
    ...foreignJumps(table, state, chains, gone),
    ...builtins.flatMap((name) => planBuiltin(name, state, chains.get(name)?.rules ?? [])),
    ...gone.map((chain): Step => ({ step: 'remove', chain })),
  ]
}

/** Plans the deletion of jumps from other programs' chains: the kernel refuses to delete a chain with jumps to it. */
function foreignJumps(
  table: Table,
  state: WantedTable,
  chains: ReadonlyMap<string, SavedChain>,
  gone: readonly string[],
): Step[] {
  if (gone.length === 0) return []
  const own = ownNames(state)
  return [...chains].flatMap(([name, { rules }]) =>
    own.has(name) || isBuiltin(table, name)
      ? []
      : deleteSteps(
          name,
          placed(rules, ({ target }) => gone.includes(target)),
        ),
  )
}

function planBuiltin(chain: string, state: WantedTable, current: readonly SavedRule[]): Step[] {
  const wanted = state.builtin.get(chain) ?? []
  const removable = state.removable.get(chain) ?? []
  const { kept, deleted, floating } = alignBuiltin(wanted, current, { own: ownNames(state), removable })
  const gone = new Set(deleted)
  const steps = deleteSteps(
    chain,
    placed(current, (_, index) => gone.has(index)),
  )
  const left = current.map((_, index) => index).filter((index) => !gone.has(index))
  return [...steps, ...insertMissing(chain, wanted, { kept, floating }, left)]
}

/** Plans the insertion of missing rules. In `list`, `-1 - index` stands for an inserted rule. */
function insertMissing(
  chain: string,
  wanted: readonly WantedRule[],
  { kept, floating }: Pick<Alignment, 'kept' | 'floating'>,
  left: readonly number[],
): Step[] {
  const steps: Step[] = []
  const list = [...left]
  for (const [index, rule] of authorOrder(wanted)) {
    if (kept.has(index)) continue
    const places = new Map(list.map((each, place) => [each, place]))
    const at = (i: number) => (i < 0 || floating.has(i) ? undefined : places.get(kept.get(i) ?? -1 - i))
    const before = at(wanted.findLastIndex((_, i) => i < index && at(i) !== undefined))
    const after = at(wanted.findIndex((_, i) => i > index && at(i) !== undefined)) ?? list.length
    const first = rule.position !== undefined && before === undefined
    const behind = rule.position !== undefined && before !== undefined && after === list.length
    const place = first ? Math.min((rule.position ?? 1) - 1, after) : behind ? before + 1 : after
    steps.push(place === list.length ? { step: 'append', chain, rule } : { step: 'insert', chain, at: place, rule })
    list.splice(place, 0, -1 - index)
  }
  return steps
}

/** Puts rules with a position last, because their positions also count the rules without a position. */
const authorOrder = (wanted: readonly WantedRule[]): [number, WantedRule][] => {
  const all = [...wanted.entries()]
  return [
    ...all.filter(([, rule]) => rule.position === undefined),
    ...all.filter(([, rule]) => rule.position !== undefined).reverse(),
  ]
}
