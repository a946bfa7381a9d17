import type { SavedRule, Snapshot } from '../parse/snapshot.ts'
import type { Table } from '../rules/model.ts'
import { countKeys, type Wanted, type WantedRule, type WantedTable } from './wanted.ts'

/**
 * What was ours before a write, as a state to go back to: own chains as they were, own rules of built-in chains in
 * their number. `without` names tables that held nothing of ours.
 */
export function beforeState(wanted: Wanted, snapshot: Snapshot, without: ReadonlySet<Table>): Wanted {
  const tables = new Map<Table, WantedTable>()
  for (const [table, state] of wanted.tables) {
    const chains = without.has(table) ? undefined : snapshot.tables.get(table)
    tables.set(
      table,
      tableBefore(state, (name) => chains?.get(name)?.rules),
    )
  }
  return { family: wanted.family, tables }
}

// internal

function tableBefore(state: WantedTable, rulesOf: (chain: string) => readonly SavedRule[] | undefined): WantedTable {
  const own = new Map<string, WantedRule[]>()
  const absent: string[] = []
  const names = [...state.own.keys(), ...state.absent]
  for (const name of names) {
    const rules = rulesOf(name)
    if (rules === undefined) absent.push(name)
    else own.set(name, rules.map(asWanted))
  }
  const builtin = new Map<string, WantedRule[]>()
  const removable = new Map<string, ReadonlyMap<string, number>>()
  for (const [chain, wanted] of state.builtin) removable.set(chain, countKeys(wanted))
  for (const chain of builtinNames) {
    const keys = removable.get(chain)
    const ours = (rulesOf(chain) ?? [])
      .map((rule, index) => ({ ...asWanted(rule), position: index + 1, target: rule.target }))
      .filter(({ key, target }) => keys?.has(key) === true || names.includes(target))
    if (ours.length > 0) builtin.set(chain, ours)
  }
  return { own, absent, builtin, removable }
}

const builtinNames = ['PREROUTING', 'INPUT', 'FORWARD', 'OUTPUT', 'POSTROUTING']

const asWanted = (rule: SavedRule): WantedRule => ({ text: rule.text, key: rule.key })
