import fc from 'fast-check'
import { dataTypes } from '../../src/rules/data-type.ts'
import { selectors } from '../../src/rules/selector.ts'
import type { Selector } from '../../src/rules/values.ts'

/** Table family of a random ruleset. */
export type Family = 'inet' | 'ip' | 'ip6'
/** Name of a data type of nftables values. */
export type Type = keyof typeof dataTypes

export const u32 = fc.oneof(fc.nat(9), fc.integer({ min: 0, max: 0xffff_ffff }))
const id = fc.oneof(fc.nat(9), fc.integer({ min: 0, max: 0xffff_fffe }))
export const port = fc.integer({ min: 1, max: 65_535 })
const byte = fc.nat(255)
export const ipv4 = fc.oneof(fc.ipV4(), fc.constantFrom('10.0.0.1', '127.0.0.1', '0.0.0.0', '255.255.255.255'))
export const ipv6 = fc.oneof(fc.ipV6(), fc.constantFrom('fd00::1', '::1', '::', '::1.2.3.4', '::ffff:1.2.3.4'))
const withLength = (address: fc.Arbitrary<string>, most: number) =>
  fc.tuple(address, fc.integer({ min: 0, max: most })).map(([text, length]) => `${text}/${length}`)
const name = fc.stringMatching(/^[a-z][a-z0-9.-]{0,9}$/)

/** Generators of random values, by data type. */
export const values: Readonly<Record<Type, fc.Arbitrary<unknown>>> = {
  nfproto: fc.constantFrom('ipv4', 'ipv6'),
  boolean: fc.constantFrom(0, 1),
  ipv4_addr: ipv4,
  ipv6_addr: ipv6,
  inet_proto: fc.oneof(
    fc.constantFrom('tcp', 'udp', 'icmp', 'esp', 'ipv6-icmp', 'sctp', 'comp'),
    fc.integer({ min: 1, max: 255 }),
  ),
  inet_service: fc.oneof(fc.constantFrom(53, 80, 443, 15_001), fc.nat(65_535)),
  icmp_type: byte,
  icmpv6_type: byte,
  mark: u32,
  uid: id,
  gid: id,
  ct_state: fc.subarray(['invalid', 'established', 'related', 'new', 'untracked'], { minLength: 1 }),
  tcp_flag: fc.subarray(['fin', 'syn', 'rst', 'psh', 'ack', 'urg', 'ecn', 'cwr'], { minLength: 1 }),
  ct_dir: fc.constantFrom('original', 'reply'),
  ct_status: fc.subarray(['expected', 'seen-reply', 'assured', 'confirmed', 'snat', 'dnat', 'dying'], { minLength: 1 }),
  pkttype: fc.constantFrom('host', 'broadcast', 'multicast', 'other'),
  fib_addrtype: fc.constantFrom('unspec', 'unicast', 'local', 'broadcast', 'anycast', 'multicast', 'prohibit'),
  ifname: fc.oneof(name, fc.constantFrom('eth0', 'lo', 'a:1')),
}
/** Generators of random values that stand for several keys of a set: networks, and prefixes of interface names. */
export const networks: Partial<Record<Type, fc.Arbitrary<unknown>>> = {
  ipv4_addr: withLength(ipv4, 32),
  ipv6_addr: withLength(ipv6, 128),
  ifname: name.map((prefix) => ({ prefix })),
}

/** Data type of a selector's values, by name. */
export const nameOf = (kind: Selector): Type => {
  const found = Object.entries(dataTypes).find(([, type]) => type === selectors[kind].type)
  if (found === undefined) throw new Error(`No type of ${kind}`)
  return found[0] as Type
}

/** Generator of random verdicts of a rule or a map element. Jumps go to the chain `target`. */
export const verdict = fc.oneof(
  fc.constantFrom('accept', 'drop', 'return', 'continue').map((word) => ({ verdict: word })),
  fc.constantFrom('jump', 'goto').map((word) => ({ verdict: word, chain: 'target' })),
)

/** Generator of random texts, for comments and log prefixes. */
export const text = fc.string({ unit: fc.constantFrom(...'abc XYZ/.:-\\é€'), minLength: 1, maxLength: 20 })

export const isThere = <T>(value: T | undefined): value is T => value !== undefined
