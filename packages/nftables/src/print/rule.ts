import { escapeUnsafe } from '@cni/types'
import type { Rule } from '../rules/model.ts'
import { isMatch, type Statement } from '../rules/statement.ts'
import type { Selector } from '../rules/values.ts'
import type { Family } from '../wire/family.ts'
import { statementText } from './statement.ts'

/** Text of a rule as `nft list` prints it. Unknown expressions are in brackets. */
export function ruleText(
  { statements, comment }: Rule,
  family: Family,
  options?: { readonly stateless?: boolean | undefined },
): string {
  const list = sourceFirst(statements)
  const implied = impliedBy(list, family)
  const words: string[] = []
  let protocol: unknown
  for (const [at, statement] of list.entries()) {
    const header = headerOf(protocol)
    const ports = header === 'th' ? bothPorts(statement, list[at + 1]) : undefined
    if (ports !== undefined) words.push(ports)
    else if (isSecond(list[at - 1], statement, header)) continue
    else if (!implied.has(at)) words.push(withHeader(statementText(statement, family, options), header))
    if (isMatch(statement) && saysProtocol.has(statement.kind) && statement.op === undefined) protocol = statement.value
  }
  // Escapes control characters, because names and comments of other programs may contain line breaks.
  return escapeUnsafe([...words, ...(comment === undefined ? [] : [`comment "${comment}"`])].join(' '))
}

/** Protocol condition of a rule. nft omits the condition if a later statement implies the protocol. */
interface Dependency {
  readonly at: number
  readonly kind: Selector
  readonly value: unknown
}

/** Indexes of the statements that nft omits because a later statement implies them. */
function impliedBy(statements: readonly Statement[], family: Family): ReadonlySet<number> {
  const implied = new Set<number>()
  let network: Dependency | undefined
  let transport: Dependency | undefined
  const drop = (dependency: Dependency | undefined) => {
    if (dependency !== undefined) implied.add(dependency.at)
  }
  for (const [at, statement] of statements.entries()) {
    const kind = isMatch(statement) ? statement.kind : statement.kind === 'vmap' ? statement.on : undefined
    if (kind === undefined) {
      if (statement.kind === 'reject') {
        // Omits a protocol comparison that the `reject` statement implies, as nft does.
        if (statement.with !== 'icmpx') drop(network)
        if (statement.with === 'tcp reset' && family !== 'inet') drop(transport)
      }
      // Forgets earlier protocol conditions, because nft always prints a condition that precedes an action.
      network = undefined
      transport = undefined
      continue
    }
    if (networkHeaders.has(kind)) {
      drop(network)
      network = undefined
    } else if (transportHeaders.has(kind) && transport !== undefined && !staysBefore(transport, family)) {
      drop(transport)
      transport = undefined
    }
    const value = isMatch(statement) && statement.op === undefined ? statement.value : undefined
    if (value === undefined || typeof value === 'object') continue
    if (kind === 'nfproto') network = { at, kind, value }
    if (kind === 'l4proto' && network !== undefined && impliesFamily(value, network.value)) {
      drop(network)
      network = undefined
    }
    if (saysProtocol.has(kind)) transport = { at, kind, value }
  }
  return implied
}

const networkHeaders: ReadonlySet<Selector> = new Set([
  ...(['ip protocol', 'ip saddr', 'ip daddr', 'ip6 nexthdr', 'ip6 saddr', 'ip6 daddr'] as const),
])
const transportHeaders: ReadonlySet<Selector> = new Set([
  ...([
    'tcp sport',
    'tcp dport',
    'tcp flags',
    'udp sport',
    'udp dport',
    'th sport',
    'th dport',
    'icmp type',
    'icmpv6 type',
  ] as const),
])

const saysProtocol: ReadonlySet<Selector> = new Set(['l4proto', 'ip protocol', 'ip6 nexthdr'] as const)

/** True for a condition that nft always prints, because no other statement tells the address family. */
const staysBefore = ({ kind }: Dependency, family: Family): boolean => kind !== 'l4proto' && family === 'inet'

const impliesFamily = (protocol: unknown, family: unknown): boolean =>
  (protocol === 'icmp' && family === 'ipv4') || (protocol === 'ipv6-icmp' && family === 'ipv6')

/** Replaces `th` (ports of any protocol) by the protocol that an earlier condition of the rule has compared. */
const withHeader = (text: string, header: string): string => (text.startsWith('th ') ? header + text.slice(2) : text)

const headerOf = (protocol: unknown): string =>
  typeof protocol === 'string' && hasPorts.has(protocol) ? protocol : 'th'

const hasPorts: ReadonlySet<string> = new Set(['tcp', 'udp', 'udplite', 'dccp', 'sctp'])

/** Text of a single comparison of both `th` ports. nft has no name for this port pair. */
function bothPorts(statement: Statement, next: Statement | undefined): string | undefined {
  const source = portOf(statement, 'th sport')
  const target = next && portOf(next, 'th dport')
  return source === undefined || target === undefined
    ? undefined
    : `@th,0,32 0x${(source * 65_536 + target).toString(16)}`
}

const isSecond = (before: Statement | undefined, statement: Statement, header: string): boolean =>
  header === 'th' && before !== undefined && bothPorts(before, statement) !== undefined

function portOf(statement: Statement, kind: Selector): number | undefined {
  if (!isMatch(statement) || statement.kind !== kind || statement.op !== undefined) return undefined
  return typeof statement.value === 'number' ? statement.value : undefined
}

/** Swaps a destination port and a source port directly after it. nft compares and prints the source port first. */
function sourceFirst(statements: readonly Statement[]): readonly Statement[] {
  const list = [...statements]
  for (let at = 0; at + 1 < list.length; at++) {
    const [one, other] = list.slice(at, at + 2)
    if (one === undefined || other === undefined) continue
    const isSwapped = pairs.some(
      ([dport, sport]) => portOf(one, dport) !== undefined && portOf(other, sport) !== undefined,
    )
    if (!isSwapped) continue
    list.splice(at, 2, other, one)
    at++
  }
  return list
}

const pairs = [
  ['tcp dport', 'tcp sport'],
  ['udp dport', 'udp sport'],
  ['th dport', 'th sport'],
] as const
