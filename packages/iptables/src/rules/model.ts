import type { IpFamily } from '@cni/types/ip'
import type { Packet } from '@cni/types/packet'
import type { Table } from '../table.ts'
import type { RuleWords } from './rule-words.ts'

export type { Table } from '../table.ts'

/** IP family. Each family has its own iptables tables, chains and programs. */
export type Family = IpFamily

/** Both families. Reports list the families in this order. */
export const families: readonly Family[] = ['ipv4', 'ipv6']

/** Name of a built-in chain of table `T`, and of its netfilter hook. */
export type BuiltinChain<T extends Table = Table> = {
  readonly filter: 'INPUT' | 'FORWARD' | 'OUTPUT'
  readonly mangle: 'PREROUTING' | 'INPUT' | 'FORWARD' | 'OUTPUT' | 'POSTROUTING'
  readonly nat: 'PREROUTING' | 'INPUT' | 'OUTPUT' | 'POSTROUTING'
  readonly raw: 'PREROUTING' | 'OUTPUT'
  readonly security: 'INPUT' | 'FORWARD' | 'OUTPUT'
}[T]

/** Names of the built-in chains of each iptables table. */
export const builtinChains: { readonly [T in Table]: readonly BuiltinChain<T>[] } = {
  filter: ['INPUT', 'FORWARD', 'OUTPUT'],
  mangle: ['PREROUTING', 'INPUT', 'FORWARD', 'OUTPUT', 'POSTROUTING'],
  nat: ['PREROUTING', 'INPUT', 'OUTPUT', 'POSTROUTING'],
  raw: ['PREROUTING', 'OUTPUT'],
  security: ['INPUT', 'FORWARD', 'OUTPUT'],
}

/** Names of all iptables tables, sorted. Restore text lists the tables in this order. */
export const tables: readonly Table[] = ['filter', 'mangle', 'nat', 'raw', 'security']

/** True if `name` is the name of an iptables table. */
export const isTable = (name: string): name is Table => Object.hasOwn(builtinChains, name)

/** True if `chain` is built into the table. A ruleset never owns a built-in chain. */
export const isBuiltin = (table: Table, chain: string): boolean => builtinChains[table].some((name) => name === chain)

/** One address for each family (with optional prefix length), for a rule that applies to both families. */
export interface AddressPair {
  readonly ipv4: string
  readonly ipv6: string
}

/** Condition of a rule as the author wrote it, as plain data. */
export type Match =
  | ({ readonly not?: true } & (
      | { readonly match: 'proto'; readonly protocol: string }
      | { readonly match: 'src' | 'dst'; readonly address: string | AddressPair }
      | { readonly match: 'in' | 'out'; readonly name: string }
      | { readonly match: 'sport' | 'dport'; readonly ports: string }
      | { readonly match: 'sports' | 'dports'; readonly ports: string }
      | { readonly match: 'uid' | 'gid'; readonly owner: string }
      | { readonly match: 'socketExists' }
      | { readonly match: 'ctstate'; readonly states: readonly RuleWords['ctState'][] }
      | { readonly match: 'mark' | 'connmark'; readonly value: number; readonly mask?: number }
      | { readonly match: 'srcType' | 'dstType'; readonly types: readonly RuleWords['addrType'][] }
      | { readonly match: 'icmpType' | 'icmpv6Type'; readonly type: string }
      | { readonly match: 'state'; readonly states: readonly RuleWords['ctState'][] }
      | { readonly match: 'set'; readonly name: string | AddressPair; readonly dirs: readonly RuleWords['setDir'][] }
      | { readonly match: 'srcRange' | 'dstRange'; readonly range: string | AddressPair }
      | { readonly match: 'mac'; readonly address: string }
      | { readonly match: 'pktType'; readonly type: NonNullable<Packet['packetType']> }
      | { readonly match: 'random'; readonly probability: number }
      | { readonly match: 'nth'; readonly every: number; readonly packet: number }
      | {
          readonly match: 'tcpFlags'
          readonly mask: NonNullable<Packet['tcpFlags']>
          readonly set: NonNullable<Packet['tcpFlags']>
        }
      | { readonly match: 'syn' }
    ))
  | { readonly match: 'socket'; readonly flags: readonly string[] }
  | { readonly match: 'limit'; readonly rate: string; readonly burst?: number }
  | { readonly match: 'comment'; readonly text: string }
  | { readonly match: 'raw'; readonly tokens: readonly string[] }

/** Target of a rule, as plain data. */
export type Target =
  | { readonly target: 'ACCEPT' | 'DROP' | 'RETURN' }
  | { readonly target: 'jump' | 'goto'; readonly chain: string }
  | { readonly target: 'REDIRECT' | 'MASQUERADE'; readonly ports?: string; readonly flags?: readonly string[] }
  | {
      readonly target: 'TPROXY'
      readonly port: number
      readonly on?: string | AddressPair
      readonly mark?: number
      readonly mask?: number
    }
  | { readonly target: 'DNAT' | 'SNAT'; readonly to: string | AddressPair; readonly flags?: readonly string[] }
  | {
      readonly target: 'MARK'
      readonly action?: 'xmark' | 'and' | 'or' | 'xor'
      readonly value: number
      readonly mask?: number
    }
  | {
      readonly target: 'CONNMARK'
      readonly action: 'set' | 'xmark' | 'and' | 'or' | 'xor'
      readonly value: number
      readonly mask?: number
    }
  | { readonly target: 'CONNMARK'; readonly action: 'save' | 'restore'; readonly mask?: number }
  | {
      readonly target: 'CT'
      readonly notrack?: true
      readonly helper?: string
      readonly ctevents?: readonly RuleWords['ctEvent'][]
      readonly zone?: RuleWords['ctZone']
      readonly zoneOrig?: RuleWords['ctZone']
      readonly zoneReply?: RuleWords['ctZone']
    }
  | { readonly target: 'REJECT'; readonly with?: string | AddressPair }
  | {
      readonly target: 'LOG'
      readonly prefix?: string
      readonly level?: string
      readonly flags?: readonly ('tcp-sequence' | 'tcp-options' | 'ip-options' | 'uid' | 'macdecode')[]
    }
  | {
      readonly target: 'NFLOG'
      readonly group?: number
      readonly prefix?: string
      readonly size?: number
      readonly threshold?: number
    }
  | { readonly target: 'TCPMSS'; readonly mss: number | 'pmtu' }
  | {
      readonly target: 'SET'
      readonly action: 'add' | 'del'
      readonly name: string | AddressPair
      readonly dirs: readonly RuleWords['setDir'][]
      readonly exist?: true
      readonly timeoutSeconds?: number
    }
  | { readonly target: 'raw'; readonly name: string; readonly tokens: readonly string[] }
  | { readonly target: 'none' }

/**
 * Rule as frozen plain data. Without `family`, the rule applies to both families. With `position`, the rule is inserted
 * at that position of its chain.
 */
export interface Rule {
  readonly table: Table
  readonly chain: string
  readonly family?: Family
  readonly position?: number
  readonly matches: readonly Match[]
  readonly target: Target
}

/**
 * Ruleset: rules of several tables and both families, as frozen plain data. A ruleset survives `JSON.stringify`
 * unchanged.
 */
export interface Ruleset {
  /** Chains that the ruleset owns, each with its table. */
  readonly chains: readonly { readonly table: Table; readonly name: string }[]
  readonly rules: readonly Rule[]
}

/** Selects the rules of a ruleset that apply to `family`, in the author's order. */
export function rulesFor(rules: Ruleset, family: Family): readonly Rule[] {
  const all = rules.rules
  const known = parts[family].get(all)
  if (known !== undefined) return known
  const found = all.filter((rule) => rule.family === undefined || rule.family === family)
  // Caches the family's rules only for a frozen ruleset: a ruleset parsed from JSON may still change.
  if (Object.isFrozen(all)) parts[family].set(all, Object.freeze(found))
  return found
}

/** Selects the ruleset's own chains that `family` needs. `apply` creates only these chains. */
export function chainsFor(rules: Ruleset, family: Family): Ruleset['chains'] {
  const used = new Map(tables.map((table) => [table, new Set<string>()]))
  for (const { family: only, table, chain, target } of rules.rules) {
    if (only !== undefined && only !== family) continue
    used.get(table)?.add(chain)
    if (target.target === 'jump' || target.target === 'goto') used.get(table)?.add(target.chain)
  }
  return rules.chains.filter(({ table, name }) => used.get(table)?.has(name) === true)
}

// internal

/** Cache of a ruleset's rules per family: each call on the ruleset needs these rules several times. */
const parts: Readonly<Record<Family, WeakMap<readonly Rule[], readonly Rule[]>>> = {
  ipv4: new WeakMap(),
  ipv6: new WeakMap(),
}
