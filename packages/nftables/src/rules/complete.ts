import type { Family } from '../wire/family.ts'
import { invalid } from '../wire/nft-error.ts'
import { type Need, selectors } from './selector.ts'
import { isMatch, type Match, type Statement } from './statement.ts'

/**
 * A rule with what nft says before conditions that need it: `l4proto tcp` before `tcp dport`, in `inet` `nfproto ipv4`
 * before `ip daddr`. What a rule has said is not said again. Throws `NftError('INVALID')` for what can never match, or
 * needs a protocol that the rule does not name.
 */
export function complete(family: Family, statements: readonly Statement[], where = 'a rule'): readonly Statement[] {
  const said = new Said(family, where)
  const result: Statement[] = []
  for (const given of statements) {
    const statement = withHeader(given, said)
    const needs = needsOf(statement)
    const last = needs.at(-1)
    for (const need of last === undefined || said.has(last) ? NONE : needs) {
      if (said.has(need)) continue
      const match = matchFor(need)
      // nft says for what a rejection is at the very beginning; ports of no protocol would become those of this one there.
      const isFirst = statement.kind === 'reject' && !result.some(looksAtPorts)
      result.splice(isFirst ? 0 : result.length, 0, match)
      said.hear(match)
    }
    checkPorts(statement, said, where)
    result.splice(isSwapped(result.at(-1), statement) ? -1 : result.length, 0, statement)
    if (isMatch(statement)) said.hear(statement)
  }
  return Object.freeze(result)
}

// internal

/** What a rule has said of the packet so far. */
class Said {
  readonly #where: string
  #network: 'ipv4' | 'ipv6' | undefined
  #transport: unknown
  /** Also one of several. */
  hasTransport = false

  /** The protocol that was said, if it is one. */
  get transport(): unknown {
    return this.#transport
  }

  constructor(family: Family, where: string) {
    this.#where = where
    this.#network = family === 'ip' ? 'ipv4' : family === 'ip6' ? 'ipv6' : undefined
  }

  /** Throws when something else was said. */
  has(need: Need): boolean {
    const said = isNetwork(need) ? this.#network : this.#transport
    if (said !== undefined && said !== need) {
      invalid(
        `${this.#where}: what is ${JSON.stringify(said)} has nothing of ${JSON.stringify(need)}, so this can never match`,
      )
    }
    return said !== undefined
  }

  hear({ kind, op, value }: Match): void {
    if (op !== undefined) return
    const isOne = typeof value !== 'object'
    if (kind === 'nfproto' && (value === 'ipv4' || value === 'ipv6')) {
      this.has(value)
      this.#network = value
    } else if (kind === 'l4proto' || kind === 'ip protocol' || kind === 'ip6 nexthdr') {
      this.hasTransport ||= isOne || 'set' in value
      if (isOne) this.#transport = value
    }
  }
}

const isNetwork = (need: Need): need is 'ipv4' | 'ipv6' => need === 'ipv4' || need === 'ipv6'

const nfproto = {
  ipv4: Object.freeze({ kind: 'nfproto', value: 'ipv4' }),
  ipv6: Object.freeze({ kind: 'nfproto', value: 'ipv6' }),
} as const

const l4proto = {
  tcp: Object.freeze({ kind: 'l4proto', value: 'tcp' }),
  udp: Object.freeze({ kind: 'l4proto', value: 'udp' }),
  icmp: Object.freeze({ kind: 'l4proto', value: 'icmp' }),
  'ipv6-icmp': Object.freeze({ kind: 'l4proto', value: 'ipv6-icmp' }),
} as const

const matchFor = (need: Need): Match => (isNetwork(need) ? nfproto[need] : l4proto[need])

const TCP: readonly Need[] = ['tcp']
const IPV4: readonly Need[] = ['ipv4']
const IPV6: readonly Need[] = ['ipv6']
const NONE: readonly Need[] = []

function needsOf(statement: Statement): readonly Need[] {
  if (isMatch(statement)) return selectors[statement.kind].needs
  if (statement.kind === 'vmap') return selectors[statement.on].needs
  if (statement.kind !== 'reject') return NONE
  if (statement.with === 'tcp reset') return TCP
  return statement.with === 'icmp' ? IPV4 : statement.with === 'icmpv6' ? IPV6 : NONE
}

/** Ports of any protocol, behind one that is said, are the ports of that: nf_tables does not tell them apart. */
function withHeader(statement: Statement, { transport }: Said): Statement {
  if (transport !== 'tcp' && transport !== 'udp') return statement
  const named = portsOf[transport]
  if (statement.kind === 'th sport' || statement.kind === 'th dport') {
    return Object.freeze({ ...statement, kind: named[statement.kind] })
  }
  if (statement.kind !== 'vmap' || (statement.on !== 'th sport' && statement.on !== 'th dport')) return statement
  return Object.freeze({ ...statement, on: named[statement.on] })
}

/** Whether it looks at ports of any protocol. */
function looksAtPorts(statement: Statement): boolean {
  const at = statement.kind === 'vmap' ? statement.on : statement.kind
  return at === 'th sport' || at === 'th dport'
}

const portsOf = {
  tcp: { 'th sport': 'tcp sport', 'th dport': 'tcp dport' },
  udp: { 'th sport': 'udp sport', 'th dport': 'udp dport' },
} as const

/** Ports that are compared in one step: the source is first. */
function isSwapped(before: Statement | undefined, statement: Statement): boolean {
  return before !== undefined && isPort(before) && isPort(statement) && before.kind === sourceBehind.get(statement.kind)
}

const isPort = (statement: Statement): boolean =>
  isMatch(statement) && statement.op === undefined && typeof statement.value === 'number'

const sourceBehind = new Map<string, string>([
  ['tcp sport', 'tcp dport'],
  ['udp sport', 'udp dport'],
  ['th sport', 'th dport'],
])

/** Ports are those of a protocol. */
function checkPorts(statement: Statement, { hasTransport }: Said, where: string): void {
  const { kind } = statement
  const needs = kind === 'tproxy' || ('port' in statement && statement.port !== undefined)
  if (needs && !hasTransport) invalid(`${where}: ${kind} needs a protocol before it, such as l4proto('tcp')`)
}
