import type { Packet } from '@cni/types/packet'
import { invalid } from '../errors.ts'
import type { Family } from './model.ts'
import type { RuleWords } from './rule-words.ts'
import type { LogTargetLevel } from './target-options.ts'

/** IP protocols that the builder accepts by name. */
export const protocols: ReadonlySet<string> = new Set([
  ...['tcp', 'udp', 'udplite', 'sctp', 'dccp', 'icmp', 'icmpv6', 'ipv6-icmp', 'esp', 'ah', 'gre', 'ipip'],
])

/** States of connection tracking, in the order in which iptables prints them. */
export const ctStates: readonly string[] = ['INVALID', 'NEW', 'RELATED', 'ESTABLISHED', 'UNTRACKED', 'SNAT', 'DNAT']

/** Address types that the addrtype match accepts. */
export const addrTypes: readonly string[] = [
  ...['LOCAL', 'UNICAST', 'BROADCAST', 'MULTICAST', 'ANYCAST', 'BLACKHOLE', 'UNREACHABLE'],
]

/** Connection states that the match `-m state` accepts. */
export const plainStates: readonly RuleWords['ctState'][] = ['NEW', 'ESTABLISHED', 'RELATED', 'INVALID', 'UNTRACKED']

/** TCP flags in the order of their bits in the TCP header. */
export const tcpFlags: NonNullable<Packet['tcpFlags']> = ['FIN', 'SYN', 'RST', 'PSH', 'ACK', 'URG']

/** Names of the syslog levels. A name's index is the level's number. */
export const logLevels: readonly string[] = [
  ...(['emerg', 'alert', 'crit', 'error', 'warning', 'notice', 'info', 'debug'] satisfies LogTargetLevel[]),
]

/** Connection-tracking events that the target CT accepts. */
export const ctEvents: readonly RuleWords['ctEvent'][] = [
  ...(['new', 'related', 'destroy', 'reply', 'assured', 'protoinfo', 'helper', 'mark'] as const),
]

const reject4: readonly RuleWords['rejection']['ipv4'][] = [
  ...(['icmp-net-unreachable', 'icmp-host-unreachable', 'icmp-port-unreachable', 'icmp-proto-unreachable'] as const),
  ...(['icmp-net-prohibited', 'icmp-host-prohibited', 'icmp-admin-prohibited'] as const),
]
const reject6: readonly RuleWords['rejection']['ipv6'][] = [
  ...(['icmp6-no-route', 'icmp6-adm-prohibited', 'icmp6-addr-unreachable', 'icmp6-port-unreachable'] as const),
  ...(['icmp6-policy-fail', 'icmp6-reject-route'] as const),
]

/** ICMP errors with which REJECT can answer in each family. */
export const rejectTypes: Readonly<Record<Family, readonly string[]>> = {
  ipv4: [...reject4, 'tcp-reset'],
  ipv6: [...reject6, 'tcp-reset'],
}

/** Validates a list of words against the known words: at least one, all known, no repetition. */
export function checkWords<W extends string>(
  words: readonly W[],
  known: readonly string[],
  what: string,
): readonly W[] {
  if (!Array.isArray(words) || words.length === 0) invalid(`${what}: at least one of ${known.join(', ')} is needed`)
  for (const word of words) {
    if (!known.includes(word)) invalid(`${what}: ${JSON.stringify(word)} is not one of ${known.join(', ')}`)
  }
  if (new Set(words).size !== words.length) invalid(`${what}: ${words.join(',')} repeats a word`)
  return Object.freeze([...words])
}
