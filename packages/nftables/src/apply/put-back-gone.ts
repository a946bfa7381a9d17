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
} from './own-steps.ts'
import type { Left } from './remove-made.ts'

/** Restores deleted objects and changed properties. Keeps later changes of other programs. */
export function putBackGone(batch: Batch, before: Snapshot, effect: Effect, left: Left): void {
  setBack(batch, effect, left)
  const things = before.messages
    .filter((message) => left.isOurs(tableKeyIn(message)))
    .map((message) => ({ ...message, key: keyIn(message) }))
  const rules = things.flatMap(({ kind, body }) => (kind === 'rule' ? ruleOf(body) : []))
  const exists = (key: string) => left.tables.has(key) || left.chains.has(key) || left.sets.has(key)
  const back = new Set<string>()
  for (const { kind, key } of things) if (kind !== 'rule' && effect.gone.has(key) && !exists(key)) back.add(key)
  for (const rule of rules) {
    const chain = chainKey(rule)
    if (!effect.gone.has(ruleKey(rule)) || !(back.has(chain) || left.chains.has(chain))) continue
    back.add(ruleKey(rule))
    for (const set of ownSets(rule)) back.add(setKey({ ...rule, set }))
  }
  putBackElements(batch, effect, left, back)
  restore(batch, { messages: things.filter(({ key }) => back.has(key)) }, (body) => {
    const [rule] = ruleOf(body)
    return rule && nextOf(rule, rules, left)
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
function nextOf(rule: NftRule, rules: readonly NftRule[], left: Left): bigint | undefined {
  const chain = chainKey(rule)
  const kept = left.rules.get(chain) ?? []
  const inChain = rules.filter((each) => chainKey(each) === chain)
  const at = inChain.findIndex(({ handle }) => handle === rule.handle)
  return inChain.slice(at + 1).find(({ handle }) => kept.includes(handle))?.handle
}

function putBackElements(batch: Batch, { goneElements }: Effect, left: Left, back: ReadonlySet<string>): void {
  for (const [key, gone] of goneElements) {
    const set = left.sets.get(key)
    if (set === undefined || back.has(key)) continue
    const present = new Set((left.elements.get(key) ?? []).map(elementKey))
    const missing = gone.filter((each) => !present.has(elementKey(each)))
    if (missing.length > 0) addElements(batch, set, missing.map(specOf))
  }
}

const specOf = ({ expiration: _, ...element }: NftElement): ElementSpec => element

function setBack(batch: Batch, { changed }: Effect, left: Left): void {
  for (const change of changed) {
    if (change.kind === 'table') {
      const { before, after } = change
      const now = left.tables.get(tableKey(before))
      if (now === undefined || now.flags !== after.flags || before.flags === after.flags) continue
      batch.addTable({ family: before.family, table: before.table, flags: before.flags })
    } else {
      const { before, after } = change
      const now = left.chains.get(chainKey(before))
      if (now === undefined || now.policy !== after.policy || before.policy === after.policy) continue
      const { family, table, chain, policy } = before
      batch.addChain({ family, table, chain, policy })
    }
  }
}
