import type { SavedChain, SavedRule, SavedTables } from '../parse/saved-tables.ts'
import { isBuiltin, type Table } from '../rules/model.ts'
import { deleteSteps, indexedRules } from '../steps/delete-steps.ts'
import type { Step, Steps } from '../steps/steps.ts'
import { type Alignment, alignBuiltin } from './align-builtin.ts'
import type { DesiredRule, DesiredState, DesiredTable } from './desired.ts'
import { builtinsOf, ownNames, sameContent } from './diff.ts'

/** Plans the changes from a family's existing rules to the ruleset's rules. */
export function planSteps(desired: DesiredState, snapshot: SavedTables): Steps {
  const steps = new Map<Table, readonly Step[]>()
  for (const [table, state] of [...desired.tables].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const list = planTable(table, state, snapshot.tables.get(table) ?? new Map<string, SavedChain>())
    if (list.length > 0) steps.set(table, list)
  }
  return steps
}

// internal

function planTable(table: Table, state: DesiredTable, chains: ReadonlyMap<string, SavedChain>): Step[] {
  const rewritten = [...state.own].filter(([name, rules]) => {
    const current = chains.get(name)
    return current === undefined || !sameContent(rules, current.rules)
  })
  const obsolete = state.absent.filter((name) => chains.has(name))
  const builtins = builtinsOf(table, state, chains)
  return [
    ...rewritten.map(([chain]): Step => ({ step: 'renew', chain })),
    ...obsolete.map((chain): Step => ({ step: 'flush', chain })),
    ...rewritten.flatMap(([chain, rules]) => rules.map((rule): Step => ({ step: 'append', chain, rule }))),
    ...jumpsFromOtherChains(table, state, chains, obsolete),
    ...builtins.flatMap((name) => planBuiltin(name, state, chains.get(name)?.rules ?? [])),
    ...obsolete.map((chain): Step => ({ step: 'remove', chain })),
  ]
}

/** Plans the deletion of jumps from other programs' chains: the kernel refuses to delete a chain with jumps to it. */
function jumpsFromOtherChains(
  table: Table,
  state: DesiredTable,
  chains: ReadonlyMap<string, SavedChain>,
  obsolete: readonly string[],
): Step[] {
  if (obsolete.length === 0) return []
  const own = ownNames(state)
  return [...chains].flatMap(([name, { rules }]) =>
    own.has(name) || isBuiltin(table, name)
      ? []
      : deleteSteps(
          name,
          indexedRules(rules, ({ target }) => obsolete.includes(target)),
        ),
  )
}

function planBuiltin(chain: string, state: DesiredTable, current: readonly SavedRule[]): Step[] {
  const desired = state.builtin.get(chain) ?? []
  const removable = state.removable.get(chain) ?? []
  const { kept, deleted, floating } = alignBuiltin(desired, current, { own: ownNames(state), removable })
  const deletedIndexes = new Set(deleted)
  const steps = deleteSteps(
    chain,
    indexedRules(current, (_, index) => deletedIndexes.has(index)),
  )
  const remaining = current.map((_, index) => index).filter((index) => !deletedIndexes.has(index))
  return [...steps, ...insertMissing(chain, desired, { kept, floating }, remaining)]
}

/** Plans the insertion of missing rules. In `list`, `-1 - index` stands for an inserted rule. */
function insertMissing(
  chain: string,
  desired: readonly DesiredRule[],
  { kept, floating }: Pick<Alignment, 'kept' | 'floating'>,
  remaining: readonly number[],
): Step[] {
  const steps: Step[] = []
  const list = [...remaining]
  for (const [index, rule] of authorOrder(desired)) {
    if (kept.has(index)) continue
    const positions = new Map(list.map((each, place) => [each, place]))
    const at = (i: number) => (i < 0 || floating.has(i) ? undefined : positions.get(kept.get(i) ?? -1 - i))
    const before = at(desired.findLastIndex((_, i) => i < index && at(i) !== undefined))
    const after = at(desired.findIndex((_, i) => i > index && at(i) !== undefined)) ?? list.length
    const first = rule.position !== undefined && before === undefined
    const behind = rule.position !== undefined && before !== undefined && after === list.length
    const place = first ? Math.min((rule.position ?? 1) - 1, after) : behind ? before + 1 : after
    steps.push(place === list.length ? { step: 'append', chain, rule } : { step: 'insert', chain, at: place, rule })
    list.splice(place, 0, -1 - index)
  }
  return steps
}

/** Puts rules with a position last, because their positions also count the rules without a position. */
const authorOrder = (desired: readonly DesiredRule[]): [number, DesiredRule][] => {
  const all = [...desired.entries()]
  return [
    ...all.filter(([, rule]) => rule.position === undefined),
    ...all.filter(([, rule]) => rule.position !== undefined).reverse(),
  ]
}
