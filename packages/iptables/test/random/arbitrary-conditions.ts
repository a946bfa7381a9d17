import type { Packet } from '@cni/types/packet'
import fc from 'fast-check'
import type { Draft } from '../../src/rules/draft.ts'
import { icmpTypes, icmpv6Types } from '../../src/rules/icmp-types.ts'
import type { RuleWords } from '../../src/rules/rule-words.ts'

/** Function that adds a condition to a random rule. */
export type Step = (draft: Draft) => Draft

/** Random packet mark with an optional mask. */
export const mark = fc.tuple(
  fc.integer({ min: 0, max: 0xffffffff }),
  fc.option(fc.integer({ min: 1, max: 0xffffffff }), { nil: undefined }),
)

const octet = fc.integer({ min: 0, max: 255 })
const ipv4 = fc.tuple(octet, octet, octet, octet).map((bytes) => bytes.join('.'))
const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16))
const ipv6 = fc.oneof(
  fc.array(group, { minLength: 8, maxLength: 8 }).map((groups) => groups.join(':')),
  fc.tuple(group, group, group).map(([a, b, c]) => `${a}:${b}::${c}`),
  fc.constantFrom('::1', '::', '::6', '::ffff:10.1.2.3', '::127.0.0.53', '64:ff9b::1.2.3.4', 'FD00:0:0::5'),
)
/** Random network in CIDR notation. Excludes the prefix `/0`, because a rule cannot negate it. */
const cidr = (address: fc.Arbitrary<string>, bits: number) =>
  fc
    .tuple(address, fc.option(fc.integer({ min: 1, max: bits })))
    .map(([text, prefix]) => (prefix === null ? text : `${text}/${prefix}`))

/** Random address or network for each IP family. */
export const addressPair = fc.record({ ipv4: cidr(ipv4, 32), ipv6: cidr(ipv6, 128) })

/** Random address range for each IP family. */
export const rangePair = fc.record({
  ipv4: fc.tuple(octet, octet).map(([a, b]) => `10.0.${Math.min(a, b)}.1-10.0.${Math.max(a, b)}.1`),
  ipv6: fc.oneof(
    ipv6,
    fc.tuple(octet, octet).map(([a, b]) => `FD00:0::${hex(Math.min(a, b))}-fd00::${hex(Math.max(a, b))}`),
  ),
})

/** Names of the ipsets that the tests create, one for each IP family. */
export const setPair = { ipv4: 'ex-set.4', ipv6: 'ex-set.6' } as const

/** Random directions (`src`, `dst`) for an ipset of two dimensions. */
export const setDirs = fc.tuple(
  fc.constantFrom<RuleWords['setDir']>('src', 'dst'),
  fc.constantFrom<RuleWords['setDir']>('src', 'dst'),
)

const hex = (value: number) => value.toString(16)
const port = fc.integer({ min: 1, max: 65535 })
const ports = fc.oneof(
  port,
  fc.tuple(port, port).map(([a, b]): `${number}:${number}` => `${Math.min(a, b)}:${Math.max(a, b)}`),
)
const portList = fc.array(ports, { minLength: 1, maxLength: 7 })
const owner = fc.oneof(
  fc.integer({ min: 0, max: 0xfffffffe }),
  fc.tuple(fc.nat(100_000), fc.nat(100_000)).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
)
const states = fc.uniqueArray(
  fc.constantFrom<RuleWords['ctState']>('NEW', 'ESTABLISHED', 'RELATED', 'INVALID', 'UNTRACKED'),
  {
    minLength: 1,
  },
)
const types = fc.uniqueArray(
  fc.constantFrom<RuleWords['addrType']>('LOCAL', 'UNICAST', 'MULTICAST', 'ANYCAST', 'UNREACHABLE'),
  {
    minLength: 1,
  },
)
const flags = fc.uniqueArray(
  fc.constantFrom<NonNullable<Packet['tcpFlags']>[number]>('FIN', 'SYN', 'RST', 'PSH', 'ACK', 'URG'),
  { minLength: 1 },
)
const interfaceName = fc.constantFrom('lo', 'eth0', 'eth+', 'cali1234567890', 'veth0.1@if2')

/** Random text that is valid in a rule's comment. */
export const commentText = fc
  .string({ unit: 'binary', maxLength: 60 })
  .filter((text) => !/\p{Cc}|\p{Cs}/u.test(text) && Buffer.byteLength(text) < 200)

const step = <V>(values: fc.Arbitrary<V>, add: (draft: Draft, value: V) => Draft): fc.Arbitrary<Step> =>
  values.map((value) => (draft) => add(draft, value))

/** Random condition, which is negated in half of the cases. */
const either = <V>(values: fc.Arbitrary<V>, add: (draft: Draft, value: V) => Draft): fc.Arbitrary<Step> =>
  fc.tuple(values, fc.boolean()).map(
    ([value, not]): Step =>
      (draft) =>
        add(not ? draft.not : draft, value),
  )

const rate = fc
  .tuple(fc.integer({ min: 1, max: 10_000 }), fc.constantFrom('sec', 'second', 'min', 'minute', 'hour', 'day'))
  .map((parts) => parts.join('/'))

/** Random conditions that the kernel accepts in every chain. */
export const anywhere: fc.Arbitrary<Step> = fc.oneof(
  either(states, (d, list) => d.ctstate(...list)),
  either(states, (d, list) => d.state(...list)),
  either(mark, (d, [value, mask]) => d.mark(value, mask)),
  either(mark, (d, [value, mask]) => d.connmark(value, mask)),
  either(types, (d, list) => d.srcType(...list)),
  either(types, (d, list) => d.dstType(...list)),
  either(rangePair, (d, range) => d.srcRange(range)),
  either(rangePair, (d, range) => d.dstRange(range)),
  either(setDirs, (d, dirs) => d.set(setPair, ...dirs)),
  either(fc.constantFrom<NonNullable<Packet['packetType']>>('unicast', 'broadcast', 'multicast'), (d, type) =>
    d.pktType(type),
  ),
  either(fc.double({ min: 2 ** -31, max: 1, noNaN: true }), (d, probability) => d.statistic({ probability })),
  either(fc.tuple(fc.integer({ min: 1, max: 0xffffffff }), fc.nat()), (d, [every, packet]) =>
    d.statistic({ every, packet: packet % every }),
  ),
  step(fc.tuple(rate, fc.option(fc.integer({ min: 1, max: 10_000 }), { nil: undefined })), (d, [text, burst]) =>
    d.limit(text, burst),
  ),
  step(commentText, (d, text) => d.comment(text)),
  step(fc.constantFrom('100', '100:200'), (d, length) => d.raw('-m', 'length', '--length', length)),
)

/** Random conditions for user-defined chains that packets reach only from OUTPUT or POSTROUTING. */
export const outgoing: fc.Arbitrary<Step> = fc.oneof(
  either(owner, (d, id) => d.uid(id)),
  either(owner, (d, id) => d.gid(id)),
  either(fc.constant(undefined), (d) => d.socketExists()),
)

/** Random conditions for user-defined chains that packets reach only from PREROUTING or INPUT. */
export const incoming: fc.Arbitrary<Step> = fc.oneof(
  either(fc.array(octet, { minLength: 6, maxLength: 6 }), (d, bytes) =>
    d.mac(bytes.map((byte) => hex(byte).padStart(2, '0')).join(byteSeparator)),
  ),
  step(fc.record({ transparent: fc.boolean(), nowildcard: fc.boolean(), restoreSkmark: fc.boolean() }), (d, options) =>
    d.socket(options),
  ),
)

const byteSeparator = ':'

const icmpText = (names: object) => fc.oneof(fc.constantFrom(...Object.keys(names)), fc.nat(254), fc.constant('3/7'))

const inProtocol: fc.Arbitrary<Step> = fc.oneof(
  either(ports, (d, range) => d.sport(range)),
  either(ports, (d, range) => d.dport(range)),
  either(portList, (d, list) => d.dports(...list)),
  either(portList, (d, list) => d.sports(...list)),
)

const protocol: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom('tcp', 'udp', 'sctp', 'dccp', 'udplite', 17 as const),
        fc.array(inProtocol, { maxLength: 2 }),
      )
      .map(
        ([name, steps]): Step =>
          (draft) =>
            steps.reduce((each, next) => next(each), draft.proto(name as 'tcp')),
      ),
  },
  either(fc.tuple(flags, flags), (d, [mask, set]) => {
    const asked = set.filter((flag) => mask.includes(flag))
    return d.tcpFlags(mask, asked)
  }).map((next) => beforeNot((draft) => draft.proto('tcp'), next)),
  either(fc.constant(undefined), (d) => d.syn()).map((next) => beforeNot((draft) => draft.proto(6), next)),
  either(icmpText(icmpTypes), (d, type) => d.icmpType(type)).map((next) =>
    beforeNot((draft) => draft.only('ipv4').proto('icmp'), next),
  ),
  either(icmpText(icmpv6Types), (d, type) => d.icmpv6Type(type)).map((next) =>
    beforeNot((draft) => draft.only('ipv6').proto('ipv6-icmp'), next),
  ),
  either(fc.constantFrom(1, 47, 50, 89, 255, 'gre', 'esp', 6), (d, name) => d.proto(name as 1)),
)

const beforeNot =
  (first: Step, next: Step): Step =>
  (draft) =>
    next(first(draft))

/** Random selection of the conditions that a rule may contain only once, in any order. */
export const once = (where: 'in' | 'out'): fc.Arbitrary<Step[]> =>
  fc
    .record({
      src: fc.option(either(addressPair, (d, pair) => d.src(pair))),
      dst: fc.option(either(addressPair, (d, pair) => d.dst(pair))),
      proto: fc.option(protocol),
      name: fc.option(either(interfaceName, (d, name) => d[where](name))),
    })
    .chain((steps) => fc.shuffledSubarray(Object.values(steps).filter((each) => each !== null)))
