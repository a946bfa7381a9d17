import { bytes, data, n8, n16, n32, n64, oneOf, text, value } from '../fields/codec.ts'
import { may, must, type Values } from '../fields/fields.ts'

const META_KEYS = [
  'len',
  'protocol',
  'priority',
  'mark',
  'iif',
  'oif',
  'iifname',
  'oifname',
  'iiftype',
  'oiftype',
  'skuid',
  'skgid',
  'nftrace',
  'rtclassid',
  'secmark',
  'nfproto',
  'l4proto',
  'ibrname',
  'obrname',
  'pkttype',
  'cpu',
  'iifgroup',
  'oifgroup',
  'cgroup',
  'random',
  'ipsec',
  'iifkind',
  'oifkind',
] as const

const CT_KEYS = [
  'state',
  'direction',
  'status',
  'mark',
  'secmark',
  'expiration',
  'helper',
  'l3proto',
  'saddr',
  'daddr',
  'protocol',
  'proto-src',
  'proto-dst',
  'label',
  'packets',
  'bytes',
  'avgpkt',
  'zone',
  'event',
  'src-ip',
  'dst-ip',
  'src-ip6',
  'dst-ip6',
  'id',
] as const

const NAT_FAMILIES = ['unspec', 'inet', 'ip', '', '', '', '', '', '', '', 'ip6'] as const

/**
 * The expressions, each with its attributes in the order in which the kernel tells them. Registers: 0 is the verdict, 1 to
 * 4 hold 16 bytes, 8 to 23 four each. Values are network order, those that the kernel keeps in host order (marks, ids of
 * users, states …) and the `info` of xt modules host order.
 */
export const expressions = {
  bitwise: {
    sreg: must(1, n32),
    dreg: must(2, n32),
    len: must(3, n32),
    /** `boolean`: and with `mask`, then xor with `xor`; a shift is by `data`. */
    op: may(6, oneOf(['boolean', 'lshift', 'rshift']), 'boolean'),
    mask: may(4, value),
    xor: may(5, value),
    data: may(7, value),
  },
  byteorder: {
    sreg: must(1, n32),
    dreg: must(2, n32),
    op: must(3, oneOf(['ntoh', 'hton'])),
    len: must(4, n32),
    size: must(5, n32),
  },
  cmp: {
    sreg: must(1, n32),
    op: must(2, oneOf(['eq', 'neq', 'lt', 'lte', 'gt', 'gte'])),
    data: must(3, value),
  },
  counter: {
    bytes: may(1, n64, 0n),
    packets: may(2, n64, 0n),
  },
  ct: {
    dreg: may(1, n32),
    /** Sets the key instead of loading it. */
    sreg: may(4, n32),
    key: must(2, oneOf(CT_KEYS)),
    /** 0 original, 1 reply. */
    direction: may(3, n8),
  },
  fib: {
    dreg: must(1, n32),
    result: must(2, oneOf(['unspec', 'oif', 'oifname', 'type'])),
    /** 1 saddr, 2 daddr, 4 mark, 8 iif, 16 oif, 32 whether there is one. */
    flags: must(3, n32),
  },
  immediate: {
    /** 0: the verdict. */
    dreg: must(1, n32),
    data: must(2, data),
  },
  limit: {
    rate: must(1, n64),
    /** Seconds. */
    unit: must(2, n64),
    burst: must(3, n32),
    type: may(4, oneOf(['packets', 'bytes']), 'packets'),
    /** 1: over the limit, else up to it. */
    flags: may(5, n32, 0),
  },
  log: {
    prefix: may(2, text),
    /** To the kernel's log: 0 (emergency) to 7, 8 audit. */
    level: may(5, n32),
    flags: may(6, n32),
    /** To a listener, instead of the kernel's log. */
    group: may(1, n16),
    snaplen: may(3, n32),
    qthreshold: may(4, n16),
  },
  lookup: {
    set: must(1, text),
    /** That of a set which the same batch makes, for one that has no name yet. */
    setId: may(4, n32),
    sreg: must(2, n32),
    /** Of a map; 0 for one of verdicts. */
    dreg: may(3, n32),
    /** 1: not in the set. */
    flags: may(5, n32, 0),
  },
  masq: {
    flags: may(1, n32),
    regProtoMin: may(2, n32),
    regProtoMax: may(3, n32),
  },
  /** An xt match of iptables. */
  match: {
    module: must(1, text),
    revision: must(2, n32),
    /** The module's structure, padded to eight bytes. */
    info: must(3, bytes),
  },
  meta: {
    key: must(2, oneOf(META_KEYS)),
    dreg: may(1, n32),
    /** Sets the key instead of loading it. */
    sreg: may(3, n32),
  },
  nat: {
    type: must(1, oneOf(['snat', 'dnat'])),
    family: must(2, oneOf(NAT_FAMILIES)),
    regAddrMin: may(3, n32),
    regAddrMax: may(4, n32),
    regProtoMin: may(5, n32),
    regProtoMax: may(6, n32),
    /** 1 addresses, 2 ports, 4 random, 8 persistent, 16 fully random, 64 a whole network. */
    flags: may(7, n32),
  },
  /** No connection tracking for the packet. */
  notrack: {},
  payload: {
    dreg: may(1, n32),
    sreg: may(5, n32),
    base: must(2, oneOf(['link', 'network', 'transport', 'inner'])),
    offset: must(3, n32),
    len: must(4, n32),
    checksumType: may(6, n32),
    checksumOffset: may(7, n32),
    checksumFlags: may(8, n32),
  },
  range: {
    sreg: must(1, n32),
    op: must(2, oneOf(['eq', 'neq'])),
    from: must(3, value),
    to: must(4, value),
  },
  redir: {
    regProtoMin: may(1, n32),
    regProtoMax: may(2, n32),
    /** As those of `nat`. */
    flags: may(3, n32),
  },
  reject: {
    type: must(1, oneOf(['icmp', 'tcp-reset', 'icmpx'])),
    code: may(2, n8),
  },
  socket: {
    key: must(1, oneOf(['transparent', 'mark', 'wildcard', 'cgroupv2'])),
    dreg: must(2, n32),
    level: may(3, n32),
  },
  /** An xt target of iptables. */
  target: {
    module: must(1, text),
    revision: must(2, n32),
    /** The module's structure, padded to eight bytes. */
    info: must(3, bytes),
  },
  tproxy: {
    family: must(1, oneOf(NAT_FAMILIES)),
    regAddr: may(2, n32),
    regPort: may(3, n32),
  },
} as const

type Table = typeof expressions
/** The expressions we know, by name: what each says in its attributes. */
export type Expressions = { readonly [N in keyof Table]: { readonly name: N } & Values<Table[N]> }

/**
 * A step of a rule: most load something into a register, compare what a register holds, or decide.
 *
 * @example
 * const tcp: Expression[] = [
 *   { name: 'meta', key: 'l4proto', dreg: 1 },
 *   { name: 'cmp', sreg: 1, op: 'eq', data: Uint8Array.of(6) },
 *   { name: 'immediate', dreg: 0, data: { verdict: 'accept' } },
 * ]
 */
export type Expression =
  | Expressions[keyof Expressions]
  | {
      readonly name: 'raw'
      /** The kernel's name for it. */
      readonly of: string
      /** Its attributes. */
      readonly data?: Uint8Array | undefined
    }
