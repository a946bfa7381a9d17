import type { Family, Rule } from '../model.ts'
import type { RuleWords } from '../rule-words.ts'
import type { AddressOf } from './scope.ts'

/** Targets of a rule. Each target ends the rule. */
export interface Targets<Own extends string, S extends Family | 'both', P extends boolean> {
  /** `-j CHAIN`: continue in an own chain, return here after it. */
  jump(chain: Own): Rule
  /** `-g CHAIN`: continue in an own chain, return to where this chain was called from. */
  goto(chain: Own): Rule
  /** `-j RETURN`: leave this chain. */
  return(): Rule
  /** `-j ACCEPT`. */
  accept(): Rule
  /** `-j MARK --set-mark`: mark the packet. */
  setMark(value: number, mask?: number): Rule
  /** `-j MARK --set-xmark`: clear the bits of `mask`, then xor `value`. */
  setXmark(value: number, mask?: number): Rule
  /** `-j MARK --and-mark`. */
  andMark(bits: number): Rule
  /** `-j MARK --or-mark`. */
  orMark(bits: number): Rule
  /** `-j MARK --xor-mark`. */
  xorMark(bits: number): Rule
  /** `-j CONNMARK --set-mark`: mark the connection. */
  setConnmark(value: number, mask?: number): Rule
  /** `-j CONNMARK --set-xmark`: clear the bits of `mask`, then xor `value`. */
  setXconnmark(value: number, mask?: number): Rule
  /** `-j CONNMARK --and-mark`. */
  andConnmark(bits: number): Rule
  /** `-j CONNMARK --or-mark`. */
  orConnmark(bits: number): Rule
  /** `-j CONNMARK --xor-mark`. */
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
          /** Prefix of the log line, at most 29 bytes. */
          readonly prefix?: string
          readonly level?: 'emerg' | 'alert' | 'crit' | 'error' | 'warning' | 'notice' | 'info' | 'debug' | number
          readonly tcpSequence?: boolean
          readonly tcpOptions?: boolean
          readonly ipOptions?: boolean
          readonly uid?: boolean
          readonly macdecode?: boolean
        },
  ): Rule
  /** `-j NFLOG`: send the packet to listeners of a netlink group. */
  nflog(options?: {
    /** Netlink group, 0 to 65535. */
    readonly group?: number
    /** Prefix of the message to the listeners, at most 63 bytes. */
    readonly prefix?: string
    /** Number of bytes of each packet that the listeners get. */
    readonly size?: number
    /** Number of packets that the kernel collects before it wakes the reader. */
    readonly threshold?: number
  }): Rule
  /** `-j SET --add-set`: put the packet's addresses or ports into an ipset. */
  addSet(
    name: AddressOf<S>,
    dirs: RuleWords['setDir'] | readonly RuleWords['setDir'][],
    options?: {
      /** Lifetime of the new element in seconds, for a set with time-outs. */
      readonly timeoutSeconds?: number
      /** True to restart the time-out of an existing element. */
      readonly exist?: boolean
    },
  ): Rule
  /** `-j SET --del-set`: remove the packet's addresses or ports from an ipset. */
  delSet(name: AddressOf<S>, dirs: RuleWords['setDir'] | readonly RuleWords['setDir'][]): Rule
  /** No target: the rule only counts packets. */
  count(): Rule
  /** A target that this package does not model, with its options as tokens. */
  rawTarget(name: string, ...tokens: readonly string[]): Rule
  /** `-j DROP`. */
  drop(): Rule
  /** `-j REDIRECT --to-ports`: send the packet to a local port, or to a range written `1000-2000`. */
  redirect(
    port?: P extends true ? number | `${number}-${number}` : "A port needs a protocol before it, such as .proto('tcp')",
    options?: { readonly random?: boolean },
  ): Rule
  /** `-j DNAT --to-destination`: `address`, `address:port`, `[address]:port`, `from-to`. */
  dnat(
    to: AddressOf<S>,
    options?: {
      /** `--random`: a random port. */
      readonly random?: boolean
      /** `--persistent`: a client always gets the same address. */
      readonly persistent?: boolean
    },
  ): Rule
  /** `-j SNAT --to-source`: `address`, `address:port`, `[address]:port`, `from-to`. */
  snat(
    to: AddressOf<S>,
    options?: {
      /** `--random`: a random port. */
      readonly random?: boolean
      /** `--persistent`: a client always gets the same address. */
      readonly persistent?: boolean
      /** `--random-fully`. */
      readonly randomFully?: boolean
    },
  ): Rule
  /** `-j MASQUERADE`. */
  masquerade(options?: {
    /** Port, or a range written `1000-2000`; needs a protocol with ports. */
    readonly ports?: number | `${number}-${number}`
    readonly random?: boolean
    readonly randomFully?: boolean
  }): Rule
  /** `-j TPROXY`: hand the packet to a local transparent socket; needs `proto('tcp')` or `proto('udp')`. */
  tproxy(
    options: P extends true
      ? {
          readonly port: number
          /** `--on-ip`: address on which the socket listens. Default: the address of the incoming link. */
          readonly on?: AddressOf<S>
          /** `--tproxy-mark`. Default: the packet keeps its mark. */
          readonly mark?: number
          /** Bits of the mark to set. Default: all. */
          readonly mask?: number
        }
      : "A port needs a protocol before it, such as .proto('tcp')",
  ): Rule
  /** `-j TCPMSS --set-mss`; needs `proto('tcp')` and `syn()` or flags with SYN. */
  setMss(mss: number): Rule
  /** `-j TCPMSS --clamp-mss-to-pmtu`; needs `proto('tcp')` and `syn()` or flags with SYN. */
  clampMssToPmtu(): Rule
  /** `-j CT --zone`: the conntrack zone of the connection. */
  ctZone(zone: number): Rule
  /** `-j CT`: zone, helper and events of the connection. */
  ct(options: {
    /** Helper of a protocol, such as `ftp`; needs `proto(…)`. */
    readonly helper?: string
    /** Connection events that the kernel reports; it then reports no other events. */
    readonly ctevents?: readonly RuleWords['ctEvent'][]
    readonly zone?: RuleWords['ctZone']
    /** Zone of the original direction only. */
    readonly zoneOrig?: RuleWords['ctZone']
    /** Zone of the reply direction only. */
    readonly zoneReply?: RuleWords['ctZone']
  }): Rule
  /** `-j CT --notrack`: keep the packet out of connection tracking. `-j NOTRACK` is its old name. */
  notrack(): Rule
  /**
   * `-j REJECT`: refuse with "port unreachable", or with the given answer. A rule of both families needs an answer for
   * each.
   */
  reject(
    answer?:
      | 'tcp-reset'
      | { readonly [F in Family]: RuleWords['rejection'][F] | 'tcp-reset' }
      | (S extends Family ? RuleWords['rejection'][S] : never),
  ): Rule
}
