import type { Family, Rule } from '../model.ts'
import type { RuleWords } from '../rule-words.ts'
import type { AddressOf } from './scope.ts'

/** The targets; each ends the rule. */
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
          /** At most 29 bytes. */
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
    /** The netlink group, 0 to 65535. */
    readonly group?: number
    /** At most 63 bytes. */
    readonly prefix?: string
    /** How many bytes of each packet. */
    readonly size?: number
    /** How many packets the kernel collects before it wakes the reader. */
    readonly threshold?: number
  }): Rule
  /** `-j SET --add-set`: put the packet's addresses or ports into an ipset. */
  addSet(
    name: AddressOf<S>,
    dirs: RuleWords['setDir'] | readonly RuleWords['setDir'][],
    options?: {
      /** Seconds, for a set with time-outs. */
      readonly timeoutSeconds?: number
      /** An element that is there gets a new time-out. */
      readonly exist?: boolean
    },
  ): Rule
  /** `-j SET --del-set`: take them out. */
  delSet(name: AddressOf<S>, dirs: RuleWords['setDir'] | readonly RuleWords['setDir'][]): Rule
  /** No target: the rule only counts. */
  count(): Rule
  /** A target that this package does not model, with its options as tokens. */
  rawTarget(name: string, ...tokens: readonly string[]): Rule
  /** `-j DROP`. */
  drop(): Rule
  /** `-j REDIRECT --to-ports`: to a local port, or a range written `1000-2000`. */
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
    /** A port, or a range written `1000-2000`; needs a protocol with ports. */
    readonly ports?: number | `${number}-${number}`
    readonly random?: boolean
    readonly randomFully?: boolean
  }): Rule
  /** `-j TPROXY`: hand the packet to a local transparent socket; needs `proto('tcp')` or `proto('udp')`. */
  tproxy(
    options: P extends true
      ? {
          readonly port: number
          /** `--on-ip`: the address that it listens on. Default: that of the link which the packet came in by. */
          readonly on?: AddressOf<S>
          /** `--tproxy-mark`. Default: the packet keeps its own. */
          readonly mark?: number
          /** Bits of the mark that are set. Default: all. */
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
    /** The helper of a protocol such as `ftp`; needs `proto(…)`. */
    readonly helper?: string
    /** The only events that are reported. */
    readonly ctevents?: readonly RuleWords['ctEvent'][]
    readonly zone?: RuleWords['ctZone']
    /** The zone of the original direction only. */
    readonly zoneOrig?: RuleWords['ctZone']
    /** The zone of the reply direction only. */
    readonly zoneReply?: RuleWords['ctZone']
  }): Rule
  /** `-j CT --notrack`: keep the packet out of connection tracking. `-j NOTRACK` is its old name. */
  notrack(): Rule
  /** `-j REJECT`: refuse with "port unreachable", or as told. A rule of both families needs both answers. */
  reject(
    answer?:
      | 'tcp-reset'
      | { readonly [F in Family]: RuleWords['rejection'][F] | 'tcp-reset' }
      | (S extends Family ? RuleWords['rejection'][S] : never),
  ): Rule
}
