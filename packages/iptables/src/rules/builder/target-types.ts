import type { BuiltinChain, CtEvent, CtZone, Rule, SetDir, Table } from '../model.ts'
import type { AddressOf, At, Scope } from './scope.ts'

/** Compiler message for a rule with a port and no protocol before it. No value has this type. */
export type ProtocolFirst = "A port needs a protocol before it, such as .proto('tcp')"

/** Targets of every table; each ends the rule. */
export interface CommonTargets<Own extends string, S extends Scope> {
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
    dirs: SetDir | readonly SetDir[],
    options?: {
      /** Seconds, for a set with time-outs. */
      readonly timeoutSeconds?: number
      /** An element that is there gets a new time-out. */
      readonly exist?: boolean
    },
  ): Rule
  /** `-j SET --del-set`: take them out. */
  delSet(name: AddressOf<S>, dirs: SetDir | readonly SetDir[]): Rule
  /** No target: the rule only counts. */
  count(): Rule
  /** A target that this package does not model, with its options as tokens. */
  rawTarget(name: string, ...tokens: readonly string[]): Rule
}

/** The targets that exist in one table only, and there in some chains only. */
export type TableTargets<T extends Table, S extends Scope, C extends string, P extends boolean> = T extends 'nat'
  ? At<C, 'PREROUTING' | 'OUTPUT', DnatTargets<S, P>> &
      At<C, 'POSTROUTING' | 'INPUT', SnatTargets<S>> &
      At<C, 'POSTROUTING', MasqueradeTargets>
  : Drop & OtherTargets<T, S, C, P>

// internal

type OtherTargets<T extends Table, S extends Scope, C extends string, P extends boolean> = T extends 'mangle'
  ? At<C, 'PREROUTING', TproxyTargets<S, P>> & MssTargets<C>
  : T extends 'raw'
    ? RawTargets
    : T extends 'filter'
      ? FilterTargets<S> & MssTargets<C>
      : unknown

interface Drop {
  /** `-j DROP`. */
  drop(): Rule
}

export interface DnatTargets<S extends Scope, P extends boolean> {
  /** `-j REDIRECT --to-ports`: to a local port, or a range written `1000-2000`. */
  redirect(
    port?: P extends true ? number | `${number}-${number}` : ProtocolFirst,
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
}

export interface SnatTargets<S extends Scope> {
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
}

export interface MasqueradeTargets {
  /** `-j MASQUERADE`. */
  masquerade(options?: {
    /** A port, or a range written `1000-2000`; needs a protocol with ports. */
    readonly ports?: number | `${number}-${number}`
    readonly random?: boolean
    readonly randomFully?: boolean
  }): Rule
}

export interface TproxyTargets<S extends Scope, P extends boolean> {
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
      : ProtocolFirst,
  ): Rule
}

type MssTargets<C extends string> = SetMss &
  At<C, Extract<BuiltinChain, 'FORWARD' | 'OUTPUT' | 'POSTROUTING'>, ClampMss>

interface SetMss {
  /** `-j TCPMSS --set-mss`; needs `proto('tcp')` and `syn()` or flags with SYN. */
  setMss(mss: number): Rule
}

interface ClampMss {
  /** `-j TCPMSS --clamp-mss-to-pmtu`; needs `proto('tcp')` and `syn()` or flags with SYN. */
  clampMssToPmtu(): Rule
}

export interface RawTargets {
  /** `-j CT --zone`: the conntrack zone of the connection. */
  ctZone(zone: number): Rule
  /** `-j CT`: zone, helper and events of the connection. */
  ct(options: {
    /** The helper of a protocol such as `ftp`; needs `proto(…)`. */
    readonly helper?: string
    /** The only events that are reported. */
    readonly ctevents?: readonly CtEvent[]
    readonly zone?: CtZone
    /** The zone of the original direction only. */
    readonly zoneOrig?: CtZone
    /** The zone of the reply direction only. */
    readonly zoneReply?: CtZone
  }): Rule
  /** `-j CT --notrack`: keep the packet out of connection tracking. `-j NOTRACK` is its old name. */
  notrack(): Rule
}

interface FilterTargets<S extends Scope> {
  /** `-j REJECT`: refuse with "port unreachable", or as told. A rule of both families needs both answers. */
  reject(
    answer?:
      | 'tcp-reset'
      | { readonly ipv4: Rejections['ipv4'] | 'tcp-reset'; readonly ipv6: Rejections['ipv6'] | 'tcp-reset' }
      | (S extends 'ipv4' ? Rejections['ipv4'] : S extends 'ipv6' ? Rejections['ipv6'] : never),
  ): Rule
}

/** The answers of REJECT, besides `tcp-reset`. */
export interface Rejections {
  readonly ipv4:
    | 'icmp-net-unreachable'
    | 'icmp-host-unreachable'
    | 'icmp-port-unreachable'
    | 'icmp-proto-unreachable'
    | 'icmp-net-prohibited'
    | 'icmp-host-prohibited'
    | 'icmp-admin-prohibited'
  readonly ipv6:
    | 'icmp6-no-route'
    | 'icmp6-adm-prohibited'
    | 'icmp6-addr-unreachable'
    | 'icmp6-port-unreachable'
    | 'icmp6-policy-fail'
    | 'icmp6-reject-route'
}
