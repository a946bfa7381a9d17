import type { Verdict } from '../fields/verdict.ts'

/**
 * Known netlink expressions of a rule, by name, with their attributes. Register 0 is the verdict. Registers 1 to 4 hold
 * 16 bytes each. Registers 8 to 23 hold four bytes each.
 *
 * Values are in network byte order. Exceptions in host byte order are the `info` of xt modules, marks, ids and states.
 */
export interface Expressions {
  readonly bitwise: {
    readonly name: 'bitwise'
    readonly sreg: number
    readonly dreg: number
    readonly len: number
    /**
     * Bitwise operation on the register. `boolean` is an AND with `mask`, followed by an XOR with `xor`. A shift moves
     * the bits by the number in `data`.
     */
    readonly op?: 'boolean' | 'lshift' | 'rshift'
    readonly mask?: Uint8Array
    readonly xor?: Uint8Array
    readonly data?: Uint8Array
  }
  readonly byteorder: {
    readonly name: 'byteorder'
    readonly sreg: number
    readonly dreg: number
    readonly op: 'ntoh' | 'hton'
    readonly len: number
    readonly size: number
  }
  readonly cmp: {
    readonly name: 'cmp'
    readonly sreg: number
    readonly op: 'eq' | 'neq' | 'lt' | 'lte' | 'gt' | 'gte'
    readonly data: Uint8Array
  }
  readonly counter: {
    readonly name: 'counter'
    readonly bytes?: bigint
    readonly packets?: bigint
  }
  readonly ct: {
    readonly name: 'ct'
    readonly dreg?: number
    /**
     * Register from which the expression sets the connection's property `key`. Absent if the expression only reads the
     * property.
     */
    readonly sreg?: number
    readonly key:
      | 'state'
      | 'direction'
      | 'status'
      | 'mark'
      | 'secmark'
      | 'expiration'
      | 'helper'
      | 'l3proto'
      | 'saddr'
      | 'daddr'
      | 'protocol'
      | 'proto-src'
      | 'proto-dst'
      | 'label'
      | 'packets'
      | 'bytes'
      | 'avgpkt'
      | 'zone'
      | 'event'
      | 'src-ip'
      | 'dst-ip'
      | 'src-ip6'
      | 'dst-ip6'
      | 'id'
    /** Direction of the connection whose key is loaded: 0 for original, 1 for reply. */
    readonly direction?: number
  }
  readonly fib: {
    readonly name: 'fib'
    readonly dreg: number
    readonly result: 'unspec' | 'oif' | 'oifname' | 'type'
    /** Inputs of the `fib` lookup as bits: 1 saddr, 2 daddr, 4 mark, 8 iif, 16 oif, 32 existence only. */
    readonly flags: number
  }
  readonly immediate: {
    readonly name: 'immediate'
    /** Register that `immediate` loads with data. 0 is the verdict. */
    readonly dreg: number
    readonly data: Uint8Array | Verdict
  }
  readonly limit: {
    readonly name: 'limit'
    readonly rate: bigint
    /** Length of the time unit for the rate of the `limit` expression, in seconds. */
    readonly unit: bigint
    readonly burst: number
    readonly type?: 'packets' | 'bytes'
    /** Flags of the `limit` expression. The flag 1 matches packets above the limit instead of within it. */
    readonly flags?: number
  }
  readonly log: {
    readonly name: 'log'
    readonly prefix?: string
    /** Level of a `log` expression in the kernel's log: 0 (emergency) to 7 (debug), or 8 (audit). */
    readonly level?: number
    readonly flags?: number
    /** Netlink group to which a `log` expression sends packets, instead of the kernel's log. */
    readonly group?: number
    readonly snaplen?: number
    readonly qthreshold?: number
  }
  readonly lookup: {
    readonly name: 'lookup'
    readonly set: string
    /** Id of the set in which `lookup` searches the key. Used for a set that is new in this batch. */
    readonly setId?: number
    readonly sreg: number
    /** Register that a `lookup` loads with the map's data. 0 for a verdict map. */
    readonly dreg?: number
    /** Flags of the `lookup` expression. With 1 the expression matches keys that are not in the set. */
    readonly flags?: number
  }
  readonly masq: {
    readonly name: 'masq'
    readonly flags?: number
    readonly regProtoMin?: number
    readonly regProtoMax?: number
  }
  /** Match expression that calls an xt match module of iptables. */
  readonly match: {
    readonly name: 'match'
    readonly module: string
    readonly revision: number
    /** Data of the xt match module in the module's C structure, padded to eight bytes. */
    readonly info: Uint8Array
  }
  readonly meta: {
    readonly name: 'meta'
    readonly key:
      | 'len'
      | 'protocol'
      | 'priority'
      | 'mark'
      | 'iif'
      | 'oif'
      | 'iifname'
      | 'oifname'
      | 'iiftype'
      | 'oiftype'
      | 'skuid'
      | 'skgid'
      | 'nftrace'
      | 'rtclassid'
      | 'secmark'
      | 'nfproto'
      | 'l4proto'
      | 'ibrname'
      | 'obrname'
      | 'pkttype'
      | 'cpu'
      | 'iifgroup'
      | 'oifgroup'
      | 'cgroup'
      | 'random'
      | 'ipsec'
      | 'iifkind'
      | 'oifkind'
    readonly dreg?: number
    /**
     * Register from which the expression sets the packet's property `key`. Absent if the expression only reads the
     * property.
     */
    readonly sreg?: number
  }
  readonly nat: {
    readonly name: 'nat'
    readonly type: 'snat' | 'dnat'
    readonly family: 'unspec' | 'inet' | 'ip' | 'ip6'
    readonly regAddrMin?: number
    readonly regAddrMax?: number
    readonly regProtoMin?: number
    readonly regProtoMax?: number
    /** Flags of a `nat` expression: 1 addresses, 2 ports, 4 random, 8 persistent, 16 fully random, 64 whole network. */
    readonly flags?: number
  }
  /** Turns off connection tracking for the packet. */
  readonly notrack: { readonly name: 'notrack' }
  readonly payload: {
    readonly name: 'payload'
    readonly dreg?: number
    readonly sreg?: number
    readonly base: 'link' | 'network' | 'transport' | 'inner'
    readonly offset: number
    readonly len: number
    readonly checksumType?: number
    readonly checksumOffset?: number
    readonly checksumFlags?: number
  }
  readonly range: {
    readonly name: 'range'
    readonly sreg: number
    readonly op: 'eq' | 'neq'
    readonly from: Uint8Array
    readonly to: Uint8Array
  }
  readonly redir: {
    readonly name: 'redir'
    readonly regProtoMin?: number
    readonly regProtoMax?: number
    /** Flags of the `redir` expression, with the same bits as the flags of `nat`. */
    readonly flags?: number
  }
  readonly reject: {
    readonly name: 'reject'
    readonly type: 'icmp' | 'tcp-reset' | 'icmpx'
    readonly code?: number
  }
  readonly socket: {
    readonly name: 'socket'
    readonly key: 'transparent' | 'mark' | 'wildcard' | 'cgroupv2'
    readonly dreg: number
    readonly level?: number
  }
  /** Target expression that calls an xt target module of iptables. */
  readonly target: {
    readonly name: 'target'
    readonly module: string
    readonly revision: number
    /** Data of the xt target module in the module's C structure, padded to eight bytes. */
    readonly info: Uint8Array
  }
  readonly tproxy: {
    readonly name: 'tproxy'
    readonly family: 'unspec' | 'inet' | 'ip' | 'ip6'
    readonly regAddr?: number
    readonly regPort?: number
  }
}

/**
 * Expression of a rule: one step of the rule in the kernel.
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
      /** Kernel's name of an expression that this package does not decode. */
      readonly of: string
      /** Attributes of an expression that this package does not decode, as bytes. */
      readonly data?: Uint8Array | undefined
    }
