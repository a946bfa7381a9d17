import type { SetRecord, Sets } from '../decode/reading.ts'
import { encodeRule } from '../encode/encode-rule.ts'
import { contextOf, nameOf } from '../encode/encode-table.ts'
import type { EncodeContext } from '../encode/encoded.ts'
import { encodeNamedSet } from '../encode/named-set.ts'
import type { Chain, NamedSet, Rule, Table } from '../rules/model.ts'
import type { NftChain, NftTable } from '../wire/dumps/records.ts'
import type { NftElement, NftSet } from '../wire/dumps/set-records.ts'
import { elementsOf, setsOf } from '../wire/dumps/sets.ts'
import { encodeExpressions } from '../wire/expressions/expression.ts'
import { NFGENMSG } from '../wire/messages.ts'
import type { Nft } from '../wire/nft.ts'
import { ruleFields } from '../wire/objects.ts'
import type { RuleSpec } from '../wire/specs.ts'
import { withUserdata } from '../wire/userdata.ts'
import { elementText, ruleKey, setText, specText } from './keys.ts'

/** Rule with its key: a text that is the same for all equal rules. */
export interface Keyed<R> {
  readonly key: string
  readonly rule: R
}

/** Chain in the ruleset and in the kernel. Either of the two may be missing. */
export interface ChainState {
  readonly name: string
  readonly desired: Chain | undefined
  readonly present: NftChain | undefined
  /** True if `apply` can keep the kernel's chain: type, hook, priority and comment are equal. */
  readonly stays: boolean
  readonly samePolicy: boolean
  readonly desiredRules: readonly Keyed<Rule>[]
  /** Rules of the kernel's chain, as bytes of netlink messages. */
  readonly presentRules: readonly Keyed<Buffer>[]
}

/** Named set in the ruleset and in the kernel. Either of the two may be missing. */
export interface SetState {
  readonly name: string
  readonly desired: NamedSet | undefined
  readonly present: NftSet | undefined
  readonly stays: boolean
  /** Comparison of the set's elements. `undefined` if other programs own the elements. */
  readonly elements: { readonly same: boolean; readonly present: readonly NftElement[] } | undefined
}

/** Comparison of a table of the ruleset with the table in the kernel. */
export interface TableState {
  readonly table: Table
  readonly present: NftTable | undefined
  /** True if `apply` can keep the kernel's table and change its content. */
  readonly stays: boolean
  readonly dormant: boolean
  readonly chains: readonly ChainState[]
  readonly sets: readonly SetState[]
  /** All sets of the kernel's table by name, with elements read on demand. */
  readonly records: Sets
}

/** Compares the tables of a ruleset with the kernel's tables. Throws `NftError('INVALID')` for an invalid ruleset. */
export function tableStates(nft: Nft, tables: readonly Table[]): TableState[] {
  const present = nft.tables()
  return tables.map((table) => {
    const { family, table: name } = nameOf(table)
    const found = present.find((each) => each.family === family && each.table === name)
    return found === undefined ? missingTable(table) : stateOf(nft, table, found)
  })
}

/** True if the table in the kernel equals the table of the ruleset. */
export function isSame({ present, stays, dormant, chains, sets }: TableState): boolean {
  return present !== undefined && stays && !dormant && chains.every(isSameChain) && sets.every((set) => isSameSet(set))
}

/** True if the kernel's chain and its rules equal the ruleset's chain. */
export function isSameChain(chain: ChainState): boolean {
  return (
    chain.desired !== undefined && chain.present !== undefined && chain.stays && chain.samePolicy && hasSameRules(chain)
  )
}

/** True if the kernel's chain has the rules of the ruleset's chain, in the same order. */
export function hasSameRules({ desiredRules, presentRules }: ChainState): boolean {
  return (
    desiredRules.length === presentRules.length && desiredRules.every(({ key }, at) => key === presentRules[at]?.key)
  )
}

/** True if the kernel's set and its elements equal the ruleset's set. */
export function isSameSet({ desired, present, stays, elements }: SetState): boolean {
  return desired !== undefined && present !== undefined && stays && elements?.same !== false
}

// internal

const DORMANT = 1

function missingTable(table: Table): TableState {
  const keyed = desiredRules(table)
  const chains = table.chains.map((desired) => chainState(desired.name, desired, undefined, [], keyed))
  const sets = table.sets.map((desired) => setState(desired.name, desired, undefined, []))
  return { table, present: undefined, stays: false, dormant: false, chains, sets, records: new Map() }
}

function stateOf(nft: Nft, table: Table, present: NftTable): TableState {
  const name = nameOf(table)
  const keyed = desiredRules(table)
  const chains = nft.chains(name)
  const sets = setsOf(nft, name)
  const named = sets.filter(({ flags }) => flags?.includes('anonymous') !== true)
  const records = new Map<string, SetRecord>()
  const texts = new Map<string, string>()
  for (const set of sets) {
    const elements = named.includes(set) ? [] : elementsOf(nft, set)
    records.set(set.set, { set, elements })
    if (!named.includes(set)) texts.set(set.set, setText(set, elements))
  }
  const rules = new Map<string, Keyed<Buffer>[]>()
  for (const body of nft.bytes('rule', name)) {
    const { chain, expressions, userdata } = partsOf(body)
    const keyed = { key: ruleKey(expressions, userdata, ({ set }) => texts.get(set)), rule: body }
    const list = rules.get(chain)
    if (list === undefined) rules.set(chain, [keyed])
    else list.push(keyed)
  }
  const desiredChains = new Map(table.chains.map((chain) => [chain.name, chain]))
  const presentChains = new Map(chains.map((chain) => [chain.chain, chain]))
  const desiredSets = new Map(table.sets.map((set) => [set.name, set]))
  const presentSets = new Map(named.map((set) => [set.set, set]))
  return {
    ...{ table, present, records },
    // The table also has stateful objects or flowtables if the kernel counts more objects (`use`) than chains and sets.
    stays: present.comment === table.comment && (present.use ?? 0) <= chains.length + sets.length,
    dormant: ((present.flags ?? 0) & DORMANT) !== 0,
    chains: namesIn(desiredChains, presentChains).map((each) =>
      chainState(each, desiredChains.get(each), presentChains.get(each), rules.get(each) ?? [], keyed),
    ),
    sets: namesIn(desiredSets, presentSets).map((each) => {
      const [desired, found] = [desiredSets.get(each), presentSets.get(each)]
      const isOwned = found !== undefined && desired?.elements !== undefined
      return setState(each, desired, found, isOwned ? elementsOf(nft, found) : [])
    }),
  }
}

/** Finds the compared bytes in a rule's message, because decoding thousands of rules is slower. */
function partsOf(body: Buffer): { readonly chain: string; readonly expressions: Buffer; readonly userdata?: Buffer } {
  let chain = ''
  let expressions: Buffer = Buffer.alloc(0)
  let userdata: Buffer | undefined
  for (let at = NFGENMSG; at + HEADER <= body.length; ) {
    const length = body.readUInt16LE(at)
    if (length < HEADER) break
    const type = body.readUInt16LE(at + 2) & TYPE_MASK
    const [from, to] = [at + HEADER, at + length]
    if (type === ruleFields.chain.type) chain = body.toString('utf8', from, to - 1)
    else if (type === ruleFields.expressions.type) expressions = body.subarray(from, to)
    else if (type === ruleFields.userdata.type) userdata = body.subarray(from, to)
    at += (length + 3) & ~3
  }
  return { chain, expressions, ...(userdata === undefined ? undefined : { userdata }) }
}

/** Length of a netlink attribute header. */
const HEADER = 4
const TYPE_MASK = 0x3fff

const namesIn = (a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>) => [
  ...new Set([...a.keys(), ...b.keys()]),
]

function chainState(
  name: string,
  desired: Chain | undefined,
  present: NftChain | undefined,
  presentRules: readonly Keyed<Buffer>[],
  keyed: KeyedRules,
): ChainState {
  const [a, b] = [desired?.base, present?.base]
  return {
    ...{ name, desired, present, presentRules },
    stays:
      desired !== undefined &&
      desired.comment === present?.comment &&
      a?.type === b?.type &&
      a?.hook === b?.hook &&
      a?.priority === b?.priority,
    samePolicy: a === undefined || (desired?.policy ?? 'accept') === present?.policy,
    desiredRules: (desired && keyed.get(desired)) ?? [],
  }
}

type KeyedRules = ReadonlyMap<Chain, readonly Keyed<Rule>[]>

/** Cache of the keys of a frozen table's rules. Without it, each `verify` call would encode the rules again. */
const memo = new WeakMap<Table, KeyedRules>()

function desiredRules(table: Table): KeyedRules {
  const known = memo.get(table)
  if (known !== undefined) return known
  const context = contextOf(table)
  const keyed = new Map(
    table.chains.map((chain) => [chain, chain.rules.map((rule) => ({ key: desiredKey(rule, context), rule }))]),
  )
  if (isDeeplyFrozen(table)) memo.set(table, keyed)
  return keyed
}

/** True if a value is frozen with all its members, as `nftRuleset` freezes a ruleset. */
function isDeeplyFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  return Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen)
}

function desiredKey(rule: Rule, context: EncodeContext): string {
  const { expressions, sets } = encodeRule(rule, context)
  const note: Pick<RuleSpec, 'comment' | 'userdata'> = { comment: rule.comment }
  const { userdata } = withUserdata(note, 'rule')
  return ruleKey(encodeExpressions(expressions), userdata, ({ setId }) => {
    const set = setId === undefined ? undefined : sets[setId]
    return set && setText(set, set.elements)
  })
}

function setState(
  name: string,
  desired: NamedSet | undefined,
  present: NftSet | undefined,
  elements: readonly NftElement[],
): SetState {
  if (desired === undefined) return { name, desired, present, stays: false, elements: undefined }
  const encoded = encodeNamedSet(desired)
  const isSameSpec =
    present !== undefined &&
    specText(encoded) === specText(present) &&
    (encoded.size ?? 0) === (present.size ?? 0) &&
    (encoded.timeout ?? 0n) === (present.timeout ?? 0n) &&
    desired.comment === present.comment
  const texts = (list: Parameters<typeof elementText>[0][]) => list.map(elementText).sort().join('\n')
  const same = texts([...encoded.elements]) === texts([...elements])
  return {
    ...{ name, desired, present, stays: isSameSpec },
    elements: desired.elements === undefined ? undefined : { same, present: elements },
  }
}
