import { absentTables } from '../apply/absent.ts'
import { present } from '../apply/present.ts'
import type { OwnedOptions } from '../apply/work.ts'
import type { Sets } from '../decode/reading.ts'
import { nameOf } from '../encode/encode-table.ts'
import type { Chain, Ruleset, Table } from '../rules/model.ts'
import {
  type ChainState,
  hasSameRules,
  type Keyed,
  type SetState,
  type TableState,
  tableStates,
} from '../state/table-state.ts'
import type { NftChain } from '../wire/dumps/records.ts'
import type { Nft } from '../wire/nft.ts'
import type { Drift } from '../wire/nft-error.ts'
import type { TableName } from '../wire/specs.ts'
import { desiredText, presentText } from './rule-words.ts'

/** Differences between a ruleset and the kernel, for a valid ruleset. */
export async function driftOf(nft: Nft, rules: Ruleset, options: OwnedOptions = {}): Promise<Drift> {
  const absent = absentTables(rules, options)
  const { states, obsolete } = await nft.read(() => ({
    states: tableStates(nft, rules.tables),
    obsolete: absent.length === 0 ? absent : present(nft, absent),
  }))
  const drift: Found = { missing: [], unexpected: [...obsolete], changed: [] }
  for (const state of states) compareTable(state, drift)
  return drift
}

// internal

interface Found {
  readonly missing: Drift['missing'][number][]
  readonly unexpected: Drift['missing'][number][]
  readonly changed: Drift['changed'][number][]
}

function compareTable({ table, present, stays, dormant, chains, sets, records }: TableState, drift: Found): void {
  const at = nameOf(table)
  if (present === undefined) {
    drift.missing.push(at)
    return
  }
  const { comment = 'none' } = table
  if (present.comment !== table.comment) {
    drift.changed.push({
      ...at,
      reason: 'comment',
      expected: `comment ${comment}`,
      actual: `comment ${present.comment ?? 'none'}`,
    })
  } else if (!stays) {
    drift.changed.push({
      ...at,
      reason: 'foreign',
      expected: 'chains and sets only',
      actual: 'it has objects or flowtables',
    })
  }
  if (dormant) drift.changed.push({ ...at, reason: 'dormant', expected: 'active', actual: 'dormant' })
  for (const chain of chains) compareChain(table, chain, records, drift)
  for (const set of sets) compareSet(at, set, drift)
}

function compareChain(table: Table, chain: ChainState, records: Sets, drift: Found): void {
  const { desired, present, stays, samePolicy } = chain
  const at = { ...nameOf(table), chain: chain.name }
  if (present === undefined) drift.missing.push(at)
  else if (desired === undefined) drift.unexpected.push(at)
  else {
    if (!stays)
      drift.changed.push({ ...at, reason: 'base', expected: desiredBase(desired), actual: presentBase(present) })
    else if (!samePolicy) {
      const [expected, actual] = [`policy ${desired.policy ?? 'accept'}`, `policy ${present.policy}`]
      drift.changed.push({ ...at, reason: 'policy', expected, actual })
    }
  }
  compareRules(table, chain, records, drift)
}

function compareRules(table: Table, chain: ChainState, records: Sets, drift: Found): void {
  if (hasSameRules(chain)) return
  const at = { ...nameOf(table), chain: chain.name }
  const missing = without(chain.desiredRules, chain.presentRules)
  const unexpected = without(chain.presentRules, chain.desiredRules)
  for (const { rule } of missing) drift.missing.push({ ...at, rule: desiredText(rule, table.family) })
  for (const { rule } of unexpected) drift.unexpected.push({ ...at, rule: presentText(rule, table.family, records) })
  if (missing.length > 0 || unexpected.length > 0) return
  const index = chain.desiredRules.findIndex(({ key }, position) => key !== chain.presentRules[position]?.key)
  const [expected, actual] = [chain.desiredRules[index], chain.presentRules[index]]
  if (expected === undefined || actual === undefined) return
  const texts = {
    expected: desiredText(expected.rule, table.family),
    actual: presentText(actual.rule, table.family, records),
  }
  drift.changed.push({ ...at, reason: 'order', ...texts })
}

/** Rules of the first list that the second list lacks. A rule counts as often as it occurs. */
function without<R>(list: readonly Keyed<R>[], others: readonly Keyed<unknown>[]): Keyed<R>[] {
  const counts = new Map<string, number>()
  for (const { key } of others) counts.set(key, (counts.get(key) ?? 0) + 1)
  return list.filter(({ key }) => {
    const count = counts.get(key) ?? 0
    counts.set(key, count - 1)
    return count <= 0
  })
}

function compareSet(at: TableName, { name, desired, present, stays, elements }: SetState, drift: Found): void {
  const line = { ...at, set: name }
  if (present === undefined) drift.missing.push(line)
  else if (desired === undefined) drift.unexpected.push(line)
  else if (!stays)
    drift.changed.push({ ...line, reason: 'set', expected: 'as declared', actual: 'another type of set' })
  else if (elements?.same === false) {
    const expected = `${desired.elements?.length ?? 0} elements, as declared`
    drift.changed.push({ ...line, reason: 'elements', expected, actual: 'others' })
  }
}

const desiredBase = ({ base, comment }: Chain) => baseText(base, comment)
const presentBase = ({ base, comment }: NftChain) => baseText(base, comment)

function baseText(base: Chain['base'], comment: string | undefined): string {
  const suffix = comment === undefined ? '' : `, comment ${comment}`
  return base === undefined
    ? `a chain without hook${suffix}`
    : `type ${base.type} hook ${base.hook} priority ${base.priority}${suffix}`
}
