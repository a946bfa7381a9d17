import { invalid } from '../errors.ts'

/** Protocols that go by their name. */
export const protocols: ReadonlySet<string> = new Set([
  ...['tcp', 'udp', 'udplite', 'sctp', 'dccp', 'icmp', 'icmpv6', 'ipv6-icmp', 'esp', 'ah', 'gre', 'ipip'],
])

/** States of connection tracking. */
export const ctStates: readonly string[] = ['NEW', 'ESTABLISHED', 'RELATED', 'INVALID', 'UNTRACKED', 'SNAT', 'DNAT']

/** Kinds of addresses. */
export const addrTypes: readonly string[] = [
  ...['LOCAL', 'UNICAST', 'BROADCAST', 'MULTICAST', 'ANYCAST', 'BLACKHOLE', 'UNREACHABLE'],
]

/** Checks a list of words: known ones, each once, at least one. */
export function checkWords<W extends string>(
  words: readonly W[],
  known: readonly string[],
  what: string,
): readonly W[] {
  if (words.length === 0) invalid(`${what}: at least one of ${known.join(', ')} is needed`)
  for (const word of words) {
    if (!known.includes(word)) invalid(`${what}: ${JSON.stringify(word)} is not one of ${known.join(', ')}`)
  }
  if (new Set(words).size !== words.length) invalid(`${what}: ${words.join(',')} names one twice`)
  return Object.freeze([...words])
}
