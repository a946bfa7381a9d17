import type { Family, Rule } from '../model.ts'
import type { RuleWords } from '../rule-words.ts'
import type { AddressOf } from './scope.ts'

/** Methods of a rule builder that add a target and thereby end the rule. */
export interface Targets<Own extends string, S extends Family | 'both', P extends boolean> {
  /**
   * `-j CHAIN`: the packet continues in a user-defined chain, and returns to the next rule of this chain afterwards.
   */
  jump(chain: Own): Rule
  /** `-g CHAIN`: the packet continues in a user-defined chain and does not return to this rule's chain. */
  goto(chain: Own): Rule
  /** `-j RETURN`: the packet leaves this chain. The calling chain continues, or the built-in chain's policy applies. */
  return(): Rule
  /** `-j ACCEPT`: the packet skips the remaining rules of this table at the current hook. */
  accept(): Rule
  /** `-j MARK --set-mark`: set the packet's mark. */
  setMark(value: number, mask?: number): Rule
  /** `-j MARK --set-xmark`: clear the bits of `mask` in the packet's mark, then xor `value`. */
  setXmark(value: number, mask?: number): Rule
  /** `-j MARK --and-mark`: set the packet's mark to its bitwise AND with `bits`. */
  andMark(bits: number): Rule
  /** `-j MARK --or-mark`: set the packet's mark to its bitwise OR with `bits`. */
  orMark(bits: number): Rule
  /** `-j MARK --xor-mark`: set the packet's mark to its bitwise XOR with `bits`. */
  xorMark(bits: number): Rule
  /** `-j CONNMARK --set-mark`: set the connection's mark. */
  setConnmark(value: number, mask?: number): Rule
  /** `-j CONNMARK --set-xmark`: clear the bits of `mask` in the connection's mark, then xor `value`. */
  setXconnmark(value: number, mask?: number): Rule
  /** `-j CONNMARK --and-mark`: set the connection's mark to its bitwise AND with `bits`. */
  andConnmark(bits: number): Rule
  /** `-j CONNMARK --or-mark`: set the connection's mark to its bitwise OR with `bits`. */
  orConnmark(bits: number): Rule
  /** `-j CONNMARK --xor-mark`: set the connection's mark to its bitwise XOR with `bits`. */
  xorConnmark(bits: number): Rule
  /** `-j CONNMARK --save-mark`: copy the packet's mark to its connection. */
  saveMark(mask?: number): Rule
  /** `-j CONNMARK --restore-mark`: copy the connection's mark to the packet. */
  restoreMark(mask?: number): Rule
  /** `-j LOG`: write a line to the kernel log. */
  log(
    options?:
      | string
      | {
          /** Prefix of the line that LOG writes to the kernel log, at most 29 bytes. */
          readonly prefix?: string
          readonly level?: 'emerg' | 'alert' | 'crit' | 'error' | 'warning' | 'notice' | 'info' | 'debug' | number
          readonly tcpSequence?: boolean
          readonly tcpOptions?: boolean
          readonly ipOptions?: boolean
          readonly uid?: boolean
          readonly macdecode?: boolean
        },
  ): Rule
  /** `-j NFLOG`: send the packet to the programs that listen to a netlink group. */
  nflog(options?: {
    /** Netlink group that receives the packets of NFLOG, 0 to 65535. */
    readonly group?: number
    /** Prefix of NFLOG's message to the listening programs, at most 63 bytes. */
    readonly prefix?: string
    /** Number of bytes of each packet that NFLOG sends to the listening programs. */
    readonly size?: number
    /** Number of packets that the kernel collects before it wakes a program that listens to NFLOG. */
    readonly threshold?: number
  }): Rule
  /** `-j SET --add-set`: add the packet's addresses or ports to an ipset. */
  addSet(
    name: AddressOf<S>,
    dirs: RuleWords['setDir'] | readonly RuleWords['setDir'][],
    options?: {
      /** Lifetime of the new ipset element in seconds, for a set with timeouts. */
      readonly timeoutSeconds?: number
      /** True to restart the element's timeout if the ipset already contains the element. */
      readonly exist?: boolean
    },
  ): Rule
  /** `-j SET --del-set`: remove the packet's addresses or ports from an ipset. */
  delSet(name: AddressOf<S>, dirs: RuleWords['setDir'] | readonly RuleWords['setDir'][]): Rule
  /** Ends the rule and adds no target: the rule only counts packets. */
  count(): Rule
  /** Ends the rule with a target that this package does not model, given as iptables tokens. */
  rawTarget(name: string, ...tokens: readonly string[]): Rule
  /** `-j DROP`: discard the packet without an answer. */
  drop(): Rule
  /** `-j REDIRECT --to-ports`: send the packet to a local port, or to a range written `1000-2000`. */
  redirect(
    port?: P extends true ? number | `${number}-${number}` : "A port needs a protocol before it, such as .proto('tcp')",
    options?: { readonly random?: boolean },
  ): Rule
  /**
   * `-j DNAT --to-destination`: rewrite the destination to `address`, `address:port`, `[address]:port` or a range
   * `from-to`.
   */
  dnat(
    to: AddressOf<S>,
    options?: {
      /** DNAT's option `--random`: the kernel chooses a random port. */
      readonly random?: boolean
      /** DNAT's option `--persistent`: a client always gets the same address of the range. */
      readonly persistent?: boolean
    },
  ): Rule
  /** `-j SNAT --to-source`: rewrite the source to `address`, `address:port`, `[address]:port` or a range `from-to`. */
  snat(
    to: AddressOf<S>,
    options?: {
      /** SNAT's option `--random`: the kernel chooses a random port. */
      readonly random?: boolean
      /** SNAT's option `--persistent`: a client always gets the same address of the range. */
      readonly persistent?: boolean
      /** SNAT's option `--random-fully`: the kernel chooses a fully random port. */
      readonly randomFully?: boolean
    },
  ): Rule
  /** `-j MASQUERADE`: rewrite the source to an address of the outgoing interface. */
  masquerade(options?: {
    /** Source port for MASQUERADE, or a range written `1000-2000`. The rule needs a protocol with ports. */
    readonly ports?: number | `${number}-${number}`
    readonly random?: boolean
    readonly randomFully?: boolean
  }): Rule
  /**
   * `-j TPROXY`: deliver the packet to a local transparent socket. Needs `proto('tcp')` or `proto('udp')` before it.
   */
  tproxy(
    options: P extends true
      ? {
          readonly port: number
          /**
           * TPROXY's option `--on-ip`: address on which the socket listens. Default: the address of the incoming
           * interface.
           */
          readonly on?: AddressOf<S>
          /** TPROXY's option `--tproxy-mark`: mark to set on the packet. Default: the packet keeps its mark. */
          readonly mark?: number
          /** Bits of the packet's mark that `--tproxy-mark` sets. Default: all. */
          readonly mask?: number
        }
      : "A port needs a protocol before it, such as .proto('tcp')",
  ): Rule
  /**
   * `-j TCPMSS --set-mss`: set the maximum segment size in SYN packets. Needs `proto('tcp')` and `syn()` or flags with
   * SYN.
   */
  setMss(mss: number): Rule
  /**
   * `-j TCPMSS --clamp-mss-to-pmtu`: limit the maximum segment size to the path MTU. Needs `proto('tcp')` and `syn()`
   * or flags with SYN.
   */
  clampMssToPmtu(): Rule
  /** `-j CT --zone`: put the packet's connection into a conntrack zone. */
  ctZone(zone: number): Rule
  /** `-j CT`: set the conntrack zone, helper and events of the packet's connection. */
  ct(options: {
    /** Conntrack helper for a protocol, such as `ftp`. The rule needs `proto(…)`. */
    readonly helper?: string
    /** Conntrack events that the kernel reports for the connection. */
    readonly ctevents?: readonly RuleWords['ctEvent'][]
    readonly zone?: RuleWords['ctZone']
    /** Conntrack zone that counts only for the connection's original direction. */
    readonly zoneOrig?: RuleWords['ctZone']
    /** Conntrack zone that counts only for the connection's reply direction. */
    readonly zoneReply?: RuleWords['ctZone']
  }): Rule
  /** `-j CT --notrack`: keep the packet out of connection tracking. `-j NOTRACK` is its old name. */
  notrack(): Rule
  /**
   * `-j REJECT`: answer with "port unreachable", or with the given ICMP error. A rule for both families needs an error
   * for each.
   */
  reject(
    answer?:
      | 'tcp-reset'
      | { readonly [F in Family]: RuleWords['rejection'][F] | 'tcp-reset' }
      | (S extends Family ? RuleWords['rejection'][S] : never),
  ): Rule
}
