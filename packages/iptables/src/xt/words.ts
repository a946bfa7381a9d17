import type { Family } from '../rules/model.ts'
import type { RuleWords } from '../rules/rule-words.ts'

/** Names of the bits in a field of an xt module; `''` for an unused bit. */
type Bits<W extends string = string> = readonly (W | '')[]

export const stateBits: Bits<RuleWords['ctState']> = [
  ...(['INVALID', 'ESTABLISHED', 'RELATED', 'NEW', '', '', 'SNAT', 'DNAT', 'UNTRACKED'] as const),
]
export const addressTypeBits: Bits<RuleWords['addrType']> = [
  ...(['', 'UNICAST', 'LOCAL', 'BROADCAST', 'ANYCAST', 'MULTICAST', 'BLACKHOLE', 'UNREACHABLE'] as const),
]
export const socketBits: Bits = ['transparent', 'nowildcard', 'restore-skmark']
export const logBits: Bits = ['tcp-sequence', 'tcp-options', 'ip-options', 'uid', '', 'macdecode']
/** Names of the flag bits of a NAT rule. The two unnamed bits are `ADDRESSES` and `PORTS`. */
export const natBits: Bits = ['', '', 'random', 'persistent', 'random-fully']

/** Flag bits of the conntrack match: `STATE` for `--ctstate`, `OLD_STATE` for `-m state`. */
export const STATE = 1
export const OLD_STATE = 0x2000
/** Bit of the owner match for `--socket-exists`, after the bits for users and groups. */
export const SOCKET = 4
/** Flag bits of a NAT rule: `ADDRESSES` if the rule gives an address, `PORTS` if it gives a port. */
export const ADDRESSES = 1
export const PORTS = 2
/** Flag bits of the target CT. `CT_OLD_NAME` means that the rule uses the old name NOTRACK. */
export const CT_NOTRACK = 1
export const CT_OLD_NAME = 2
export const CT_ORIG = 4
export const CT_REPLY = 8
export const CT_MARK = 16
/** Flag bit of the target NFLOG: the rule gives a packet size. */
export const NFLOG_COPY = 1
/** Value of the target TCPMSS that means `--clamp-mss-to-pmtu`. */
export const CLAMP = 0xffff
/** Default syslog level of the target LOG: warning. */
export const USUAL_LEVEL = 4
/** Mask that covers all bits of a packet mark. */
export const ALL = 0xffffffff

/** Converts names of bits to a number with these bits set. */
export function bitsOf(words: Bits, given: readonly string[]): number {
  return words.reduce((bits, word, i) => (given.includes(word) ? bits | (1 << i) : bits), 0)
}

/** Converts the set bits of a number to their names; `undefined` if a bit has no name. */
export function wordsOf(words: Bits, bits: number): string[] | undefined {
  const found = words.filter((word, i) => word !== '' && (bits & (1 << i)) !== 0)
  return bitsOf(words, found) === bits ? found : undefined
}

/** Link-layer packet types. A type's index is its number in the pkttype match. */
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
/** Answers of the target REJECT. An answer's index is its number in the kernel. */
export const rejects: Readonly<Record<Family, readonly string[]>> = { ipv4: rejects4, ipv6: rejects6 }

/** Layout of the dccp and sctp match structures in bytes. iptables sets `unused` to 255. */
export const portModules = {
  dccp: { size: 15, checked: 8, inverse: 10, unused: [] },
  sctp: { size: 292, checked: 284, inverse: 288, unused: [268, 271, 274, 277] },
} as const
export const UNUSED = 255
