import type { Batch } from '../wire/batch/batch.ts'
import { decodeAll, type NftRule, ruleIn } from '../wire/dumps/records.ts'
import type { NftElement } from '../wire/dumps/set-records.ts'
import { addElements } from '../wire/dumps/sets.ts'
import { restore, type Snapshot } from '../wire/dumps/snapshot.ts'
import type { ElementSpec } from '../wire/specs.ts'
import {
  chainKey,
  type Effect,
  elementKey,
  isAnonymous,
  keyIn,
  ruleKey,
  setKey,
  tableKey,
  tableKeyIn,
} from './effect.ts'
import type { Remaining } from './remove-created.ts'

/** Restores deleted objects and changed properties. Keeps later changes of other programs. */
export function restoreDeleted(batch: Batch, before: Snapshot, effect: Effect, remaining: Remaining): void {
  restoreProperties(batch, effect, remaining)
  const objects = before.messages
    .filter((message) => remaining.isOurs(tableKeyIn(message)))
    .map((message) => ({ ...message, key: keyIn(message) }))
  const rules = objects.flatMap(({ kind, body }) => (kind === 'rule' ? ruleOf(body) : []))
  const exists = (key: string) => remaining.tables.has(key) || remaining.chains.has(key) || remaining.sets.has(key)
  const restored = new Set<string>()
  for (const { kind, key } of objects) if (kind !== 'rule' && effect.deleted.has(key) && !exists(key)) restored.add(key)
  for (const rule of rules) {
    const chain = chainKey(rule)
    if (!effect.deleted.has(ruleKey(rule)) || !(restored.has(chain) || remaining.chains.has(chain))) continue
    restored.add(ruleKey(rule))
    for (const set of ownSets(rule)) restored.add(setKey({ ...rule, set }))
  }
  restoreElements(batch, effect, remaining, restored)
  restore(batch, { messages: objects.filter(({ key }) => restored.has(key)) }, (body) => {
    const [rule] = ruleOf(body)
    return rule && nextOf(rule, rules, remaining)
  })
}

// internal

const ruleOf = (body: Uint8Array): NftRule[] => decodeAll([Buffer.from(body)], ruleIn)

/** Names of a deleted rule's anonymous sets, which the kernel deletes with the rule. */
function ownSets({ expressions }: NftRule): string[] {
  return expressions.flatMap((each) =>
    'set' in each && typeof each.set === 'string' && isAnonymous(each.set) ? each.set : [],
  )
}

/** Finds the next rule that still exists. The deleted rule is restored before that rule. */
function nextOf(rule: NftRule, rules: readonly NftRule[], remaining: Remaining): bigint | undefined {
  const chain = chainKey(rule)
  const handles = remaining.rules.get(chain) ?? []
  const inChain = rules.filter((each) => chainKey(each) === chain)
  const at = inChain.findIndex(({ handle }) => handle === rule.handle)
  return inChain.slice(at + 1).find(({ handle }) => handles.includes(handle))?.handle
}

function restoreElements(
  batch: Batch,
  { deletedElements }: Effect,
  remaining: Remaining,
  restored: ReadonlySet<string>,
): void {
  for (const [key, deleted] of deletedElements) {
    const set = remaining.sets.get(key)
    if (set === undefined || restored.has(key)) continue
    const present = new Set((remaining.elements.get(key) ?? []).map(elementKey))
    const missing = deleted.filter((each) => !present.has(elementKey(each)))
    if (missing.length > 0) addElements(batch, set, missing.map(specOf))
  }
}

const specOf = ({ expiration: _, ...element }: NftElement): ElementSpec => element

function restoreProperties(batch: Batch, { changed }: Effect, remaining: Remaining): void {
  for (const change of changed) {
    if (change.kind === 'table') {
      const { before, after } = change
      const now = remaining.tables.get(tableKey(before))
      if (now === undefined || now.flags !== after.flags || before.flags === after.flags) continue
      batch.addTable({ family: before.family, table: before.table, flags: before.flags })
    } else {
      const { before, after } = change
      const now = remaining.chains.get(chainKey(before))
      if (now === undefined || now.policy !== after.policy || before.policy === after.policy) continue
      const { family, table, chain, policy } = before
      batch.addChain({ family, table, chain, policy })
    }
  }
}
