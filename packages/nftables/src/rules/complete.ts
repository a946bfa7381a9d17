import type { Family } from '../wire/family.ts'
import { invalid } from '../wire/nft-error.ts'
import { type Need, selectors } from './selector.ts'
import { isMatch, type Match, type Statement } from './statement.ts'

/** Adds the protocol conditions that nft adds, such as `l4proto tcp` before `tcp dport`. */
export function complete(family: Family, statements: readonly Statement[], where = 'a rule'): readonly Statement[] {
  const known = new KnownProtocols(family, where)
  const result: Statement[] = []
  for (const given of statements) {
    const statement = withHeader(given, known)
    const needs = needsOf(statement)
    const last = needs.at(-1)
    for (const need of last === undefined || known.has(last) ? NONE : needs) {
      if (known.has(need)) continue
      const match = matchFor(need)
      // Adds the condition of `reject` first. A rule with `th` ports is an exception: before these ports, the condition
      // would give the ports its protocol.
      const isFirst = statement.kind === 'reject' && !result.some(looksAtPorts)
      result.splice(isFirst ? 0 : result.length, 0, match)
      known.add(match)
    }
    checkPorts(statement, known, where)
    result.splice(isSwapped(result.at(-1), statement) ? -1 : result.length, 0, statement)
    if (isMatch(statement)) known.add(statement)
  }
  return Object.freeze(result)
}

// internal

/** Network and transport protocols that earlier conditions of a rule have named. */
class KnownProtocols {
  readonly #where: string
  #network: 'ipv4' | 'ipv6' | undefined
  #transport: unknown
  /** True if an earlier condition of the rule has named a transport protocol, or a list of protocols. */
  hasTransport = false

  /** Transport protocol that an earlier condition of the rule has named. `undefined` for a list of protocols. */
  get transport(): unknown {
    return this.#transport
  }

  constructor(family: Family, where: string) {
    this.#where = where
    this.#network = family === 'ip' ? 'ipv4' : family === 'ip6' ? 'ipv6' : undefined
  }

  /** True if an earlier condition of the rule has named the protocol `need`. */
  has(need: Need): boolean {
    const known = isNetwork(need) ? this.#network : this.#transport
    if (known !== undefined && known !== need) {
      invalid(
        `${this.#where}: a packet of ${JSON.stringify(known)} is never one of ${JSON.stringify(need)}: the rule cannot match`,
      )
    }
    return known !== undefined
  }

  add({ kind, op, value }: Match): void {
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

/** Turns `th` ports into `tcp` or `udp` ports, because the kernel stores both forms alike. */
function withHeader(statement: Statement, { transport }: KnownProtocols): Statement {
  if (transport !== 'tcp' && transport !== 'udp') return statement
  const named = portsOf[transport]
  if (statement.kind === 'th sport' || statement.kind === 'th dport') {
    return Object.freeze({ ...statement, kind: named[statement.kind] })
  }
  if (statement.kind !== 'vmap' || (statement.on !== 'th sport' && statement.on !== 'th dport')) return statement
  return Object.freeze({ ...statement, on: named[statement.on] })
}

/** True if a statement of a rule uses ports of any protocol (`th`). */
function looksAtPorts(statement: Statement): boolean {
  const at = statement.kind === 'vmap' ? statement.on : statement.kind
  return at === 'th sport' || at === 'th dport'
}

const portsOf = {
  tcp: { 'th sport': 'tcp sport', 'th dport': 'tcp dport' },
  udp: { 'th sport': 'udp sport', 'th dport': 'udp dport' },
} as const

/** True if the destination port precedes the source port, and the caller swaps them. */
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

/** Throws if a statement uses a port, but no earlier condition of the rule names a protocol. */
function checkPorts(statement: Statement, { hasTransport }: KnownProtocols, where: string): void {
  const { kind } = statement
  const needs = kind === 'tproxy' || ('port' in statement && statement.port !== undefined)
  if (needs && !hasTransport) invalid(`${where}: ${kind} needs a protocol before it, such as l4proto('tcp')`)
}
