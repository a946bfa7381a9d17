import { attributeMap, readBe32, readBe64, readCString } from '@cni/netns/netlink'
import { NFGENMSG } from '../wire/messages.ts'
import { NLM_F_APPEND, NLM_F_EXCL, NLM_F_REPLACE } from '../wire/netlink-flags.ts'
import { NFT_MSG, NFTA_CHAIN, NFTA_HOOK, NFTA_RULE, NFTA_TABLE } from './fake-numbers.ts'
import { chainBody, ruleBody, tableBody } from './fake-records.ts'
import { refuse } from './fake-refusal.ts'
import { placed, ruleExpressions, validate } from './fake-rules.ts'
import { changeElements, changeSet } from './fake-sets.ts'
import {
  type FakeChain,
  type FakeMessage,
  type FakeState,
  type FakeTable,
  jumpsTo,
  keyOf,
  lookupsOf,
  put,
  without,
} from './fake-state.ts'

/** Tables during a transaction of the fake kernel, and the notifications to send after the commit. */
export interface FakeTransaction {
  state: FakeState
  nextTable: bigint
  readonly notifications: { readonly message: number; readonly body: Buffer }[]
}

/** Maximum length of a name in bytes: 255 bytes and the NUL after the name. */
const MAX_NAME_BYTES = 256

/** Applies a netlink message to the fake's tables, or throws a `FakeRefusal`. */
export function change(transaction: FakeTransaction, received: Omit<FakeMessage, 'attributes'>): void {
  const message: FakeMessage = { ...received, attributes: attributeMap(received.body, NFGENMSG) }
  if (message.message === NFT_MSG.NEWTABLE) newTable(transaction, message)
  else if (message.message === NFT_MSG.DELTABLE || message.message === NFT_MSG.DESTROYTABLE) {
    dropTable(transaction, message)
  } else changeTable(transaction, message)
}

function changeTable(transaction: FakeTransaction, message: FakeMessage): void {
  const step = steps.get(message.message) ?? refuse('EINVAL')
  // Attribute 1 is the table's name in all messages about chains, rules, sets and elements.
  const key = keyOf(message.body.readUInt8(0), nameIn(message, 1))
  const table = transaction.state.get(key) ?? refuse('ENOENT', message.body, 1)
  const notify = (body: Buffer, as = message.message) => transaction.notifications.push({ message: as, body })
  transaction.state = put(transaction.state, key, withoutLostSets(step(table, message, notify), table))
}

/** Function that applies one type of netlink message to a table of the fake kernel. Returns the changed table. */
export type Step = (table: FakeTable, message: FakeMessage, notify: (body: Buffer, as?: number) => void) => FakeTable

const steps = new Map<number, Step>([
  [NFT_MSG.NEWCHAIN, newChain],
  [NFT_MSG.DELCHAIN, dropChain],
  [NFT_MSG.NEWRULE, newRule],
  [NFT_MSG.DELRULE, dropRules],
  [NFT_MSG.NEWSET, changeSet],
  [NFT_MSG.DELSET, changeSet],
  [NFT_MSG.NEWSETELEM, changeElements],
  [NFT_MSG.DELSETELEM, changeElements],
])

/** Name in a netlink message. Refuses the message if the name is missing or too long. */
export function nameIn({ attributes, body }: FakeMessage, type: number): string {
  const bytes = attributes.get(type)
  if (bytes === undefined) return refuse('EINVAL')
  if (bytes.length > MAX_NAME_BYTES) return refuse('ERANGE', body, type)
  return readCString(bytes) ?? ''
}

function newTable(transaction: FakeTransaction, message: FakeMessage): void {
  const { body, flags, attributes } = message
  const name = nameIn(message, NFTA_TABLE.NAME)
  const key = keyOf(body.readUInt8(0), name)
  const found = transaction.state.get(key)
  if (found !== undefined && (flags & NLM_F_EXCL) !== 0) refuse('EEXIST', body, NFTA_TABLE.NAME)
  const given = readBe32(attributes.get(NFTA_TABLE.FLAGS)) ?? 0
  const handle = found === undefined ? transaction.nextTable++ : found.handle
  const table: FakeTable = {
    ...(found ?? { chains: new Map(), sets: new Map(), nextHandle: 1n, userdata: attributes.get(NFTA_TABLE.USERDATA) }),
    ...{ family: body.readUInt8(0), name, handle, flags: given },
  }
  transaction.state = put(transaction.state, key, table)
  if (found?.flags !== given) transaction.notifications.push({ message: message.message, body: tableBody(table) })
}

function dropTable(transaction: FakeTransaction, message: FakeMessage): void {
  const key = keyOf(message.body.readUInt8(0), nameIn(message, NFTA_TABLE.NAME))
  const table = transaction.state.get(key)
  if (table === undefined) {
    if (message.message === NFT_MSG.DESTROYTABLE) return
    refuse('ENOENT', message.body, NFTA_TABLE.NAME)
  }
  const { notifications } = transaction
  for (const chain of table.chains.values()) {
    for (const rule of chain.rules) notifications.push({ message: NFT_MSG.DELRULE, body: ruleBody(table, chain, rule) })
  }
  for (const chain of table.chains.values())
    notifications.push({ message: NFT_MSG.DELCHAIN, body: chainBody(table, chain) })
  notifications.push({ message: NFT_MSG.DELTABLE, body: tableBody(table) })
  transaction.state = without(transaction.state, key)
}

function newChain(table: FakeTable, message: FakeMessage, notify: (body: Buffer) => void): FakeTable {
  const { flags, body, attributes } = message
  const name = nameIn(message, NFTA_CHAIN.NAME)
  const base = baseIn(message)
  const policy = readBe32(attributes.get(NFTA_CHAIN.POLICY))
  const found = table.chains.get(name)
  if (found !== undefined) {
    if ((flags & NLM_F_EXCL) !== 0) return refuse('EEXIST', body, NFTA_CHAIN.NAME)
    const same = base === undefined || (found.base !== undefined && JSON.stringify(base) === JSON.stringify(found.base))
    if (!same) return refuse('EEXIST', body, NFTA_CHAIN.HOOK)
  }
  if (policy !== undefined && (base ?? found?.base) === undefined) return refuse('EOPNOTSUPP', body, NFTA_CHAIN.POLICY)
  const chain: FakeChain = {
    ...(found ?? { name, handle: table.nextHandle, base, rules: [], userdata: attributes.get(NFTA_CHAIN.USERDATA) }),
    policy: policy ?? found?.policy,
  }
  const after = { ...table, chains: put(table.chains, name, chain), nextHandle: table.nextHandle + (found ? 0n : 1n) }
  notify(chainBody(after, chain))
  return after
}

const NAT_AFTER_CONNTRACK = -200

function baseIn({ attributes, body }: FakeMessage): FakeChain['base'] {
  const nested = attributes.get(NFTA_CHAIN.HOOK)
  if (nested === undefined) return undefined
  const where = attributeMap(nested)
  const type = readCString(attributes.get(NFTA_CHAIN.TYPE)) ?? 'filter'
  const hook = readBe32(where.get(NFTA_HOOK.NUMBER))
  const priority = readBe32(where.get(NFTA_HOOK.PRIORITY))
  if (hook === undefined || priority === undefined) return refuse('ENOENT')
  if (!['filter', 'nat', 'route'].includes(type)) return refuse('ENOENT', body, NFTA_CHAIN.TYPE)
  if (type === 'nat' && (priority | 0) <= NAT_AFTER_CONNTRACK) return refuse('EOPNOTSUPP')
  return { type, hook, priority: priority | 0 }
}

function dropChain(table: FakeTable, message: FakeMessage, notify: (body: Buffer, as?: number) => void): FakeTable {
  const name = nameIn(message, NFTA_CHAIN.NAME)
  const chain = table.chains.get(name)
  if (chain === undefined) return refuse('ENOENT', message.body, NFTA_CHAIN.NAME)
  const emptied = { ...table, chains: put(table.chains, name, { ...chain, rules: [] }) }
  if (jumpsTo(emptied, name) > 0) return refuse('EBUSY', message.body, NFTA_CHAIN.NAME)
  for (const rule of chain.rules) notify(ruleBody(table, chain, rule), NFT_MSG.DELRULE)
  notify(chainBody(emptied, { ...chain, rules: [] }))
  return { ...table, chains: without(table.chains, name) }
}

function chainOf(table: FakeTable, message: FakeMessage): FakeChain {
  const name = nameIn(message, NFTA_RULE.CHAIN)
  return table.chains.get(name) ?? refuse('ENOENT', message.body, NFTA_RULE.CHAIN)
}

function newRule(table: FakeTable, message: FakeMessage, notify: (body: Buffer) => void): FakeTable {
  const { flags, body, attributes } = message
  const chain = chainOf(table, message)
  const rule = {
    handle: table.nextHandle,
    id: readBe32(attributes.get(NFTA_RULE.ID)),
    expressions: ruleExpressions(table, body, attributes),
    userdata: attributes.get(NFTA_RULE.USERDATA),
  }
  const replaced = readBe64(attributes.get(NFTA_RULE.HANDLE))
  if ((flags & NLM_F_REPLACE) !== 0 && !chain.rules.some(({ handle }) => handle === replaced)) {
    return refuse('ENOENT', body, NFTA_RULE.HANDLE)
  }
  const rules =
    (flags & NLM_F_REPLACE) !== 0
      ? chain.rules.map((each) => (each.handle === replaced ? rule : each))
      : placed(chain.rules, rule, (flags & NLM_F_APPEND) !== 0, body, attributes)
  const after = {
    ...table,
    nextHandle: table.nextHandle + 1n,
    chains: put(table.chains, chain.name, { ...chain, rules }),
  }
  validate(after)
  notify(ruleBody(after, chain, rule))
  return after
}

function dropRules(table: FakeTable, message: FakeMessage, notify: (body: Buffer) => void): FakeTable {
  const one = readBe64(message.attributes.get(NFTA_RULE.HANDLE))
  const chains = message.attributes.has(NFTA_RULE.CHAIN) ? [chainOf(table, message)] : [...table.chains.values()]
  if (one !== undefined && !chains.some(({ rules }) => rules.some(({ handle }) => handle === one))) {
    return refuse('ENOENT', message.body, NFTA_RULE.HANDLE)
  }
  let after = table
  for (const chain of chains) {
    const deleted = chain.rules.filter(({ handle }) => one === undefined || handle === one)
    for (const rule of deleted) notify(ruleBody(table, chain, rule))
    const rules = chain.rules.filter((rule) => !deleted.includes(rule))
    after = { ...after, chains: put(after.chains, chain.name, { ...chain, rules }) }
  }
  return after
}

const ANONYMOUS = 1

/** Deletes anonymous sets after their rule was deleted. */
function withoutLostSets(after: FakeTable, before: FakeTable): FakeTable {
  const lost = [...after.sets.values()].filter(
    ({ name, flags }) => (flags & ANONYMOUS) !== 0 && lookupsOf(before, name) > 0 && lookupsOf(after, name) === 0,
  )
  return lost.length === 0
    ? after
    : { ...after, sets: lost.reduce((sets, { name }) => without(sets, name), after.sets) }
}
