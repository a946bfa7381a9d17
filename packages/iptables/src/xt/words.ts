import type { Family } from '../rules/model.ts'
import type { RuleWords } from '../rules/rule-words.ts'

/** Names of bits, starting with bit 0. An empty name means an unused bit. */
type Bits<W extends string = string> = readonly (W | '')[]

export const stateBits: Bits<RuleWords['ctState']> = [
  ...(['INVALID', 'ESTABLISHED', 'RELATED', 'NEW', '', '', 'SNAT', 'DNAT', 'UNTRACKED'] as const),
]
export const addressTypeBits: Bits<RuleWords['addrType']> = [
  ...(['', 'UNICAST', 'LOCAL', 'BROADCAST', 'ANYCAST', 'MULTICAST', 'BLACKHOLE', 'UNREACHABLE'] as const),
]
export const socketBits: Bits = ['transparent', 'nowildcard', 'restore-skmark']
export const logBits: Bits = ['tcp-sequence', 'tcp-options', 'ip-options', 'uid', '', 'macdecode']
/** The first two bits say that addresses and ports are given. */
export const natBits: Bits = ['', '', 'random', 'persistent', 'random-fully']

/** Conntrack options to check. `OLD_STATE` stands for `-m state`. */
export const STATE = 1
export const OLD_STATE = 0x2000
/** Option bit of owner, after the bits of users and groups. */
export const SOCKET = 4
/** Parts that a NAT rule changes: addresses, ports. */
export const ADDRESSES = 1
export const PORTS = 2
/** Flags of CT. The old name is NOTRACK. */
export const CT_NOTRACK = 1
export const CT_OLD_NAME = 2
export const CT_ORIG = 4
export const CT_REPLY = 8
export const CT_MARK = 16
/** A size is given. */
export const NFLOG_COPY = 1
/** Clamp the segment size to the path MTU. */
export const CLAMP = 0xffff
/** Default level of LOG: warning. */
export const USUAL_LEVEL = 4
/** All bits of a mark. */
export const ALL = 0xffffffff

/** Bits of names. */
export function bitsOf(words: Bits, given: readonly string[]): number {
  return words.reduce((bits, word, i) => (given.includes(word) ? bits | (1 << i) : bits), 0)
}

/** Names of bits; `undefined` if a bit has no name. */
export function wordsOf(words: Bits, bits: number): string[] | undefined {
  const found = words.filter((word, i) => word !== '' && (bits & (1 << i)) !== 0)
  return bitsOf(words, found) === bits ? found : undefined
}

/** The index is the number. */
export const packetTypes: readonly string[] = ['unicast', 'broadcast', 'multicast']
export const connmarkModes: readonly string[] = ['set', 'save', 'restore']

const rejects4: readonly (RuleWords['rejection']['ipv4'] | 'tcp-reset' | '')[] = [
  ...(['icmp-net-unreachable', 'icmp-host-unreachable', 'icmp-proto-unreachable', 'icmp-port-unreachable'] as const),
  ...(['', 'icmp-net-prohibited', 'icmp-host-prohibited', 'tcp-reset', 'icmp-admin-prohibited'] as const),
]
const rejects6: readonly (RuleWords['rejection']['ipv6'] | 'tcp-reset' | '')[] = [
  ...(['icmp6-no-route', 'icmp6-adm-prohibited', '', 'icmp6-addr-unreachable', 'icmp6-port-unreachable'] as const),
  ...(['', 'tcp-reset', 'icmp6-policy-fail', 'icmp6-reject-route'] as const),
]
/** Answers of REJECT. The index is the number. */
export const rejects: Readonly<Record<Family, readonly string[]>> = { ipv4: rejects4, ipv6: rejects6 }

/**
 * Layouts of modules that check ports: size of the structure, offset of the option bits, offset of the negation bits.
 * `unused` lists offsets of chunk type fields that the program sets to 255.
 */
export const askingModules = {
  dccp: { size: 15, asked: 8, inverse: 10, unused: [] },
  sctp: { size: 292, asked: 284, inverse: 288, unused: [268, 271, 274, 277] },
} as const
export const UNUSED = 255
