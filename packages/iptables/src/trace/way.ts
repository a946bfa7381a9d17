import type { Packet } from '@cni/types/packet'
import type { BuiltinChain, Table } from '../rules/model.ts'

/** Path of a packet through the rules, and its result. */
export interface Trace {
  readonly packet: Packet
  /** `undecided` means that the trace ended at an unknown or unmodelled condition; `reason` names it. */
  readonly verdict: 'ACCEPT' | 'DROP' | 'REJECT' | 'undecided'
  /** Rule or policy that decided the verdict. Empty if every hook accepted the packet. */
  readonly reason: string
  /** Destination of the packet after the last hook. An unknown address is missing. */
  readonly destination: { readonly address?: string; readonly port?: number }
  /** Source of the packet after the last hook. Parts that the kernel chooses are missing. */
  readonly source: { readonly address?: string; readonly port?: number }
  /** Target that rewrote the destination. */
  readonly rewritten?: 'REDIRECT' | 'DNAT'
  /** Local proxy that gets the packet from TPROXY, with an unchanged destination. */
  readonly tproxy?: { readonly address?: string; readonly port: number }
  /** Mark of the packet after the last hook; missing if unknown. */
  readonly mark?: number
  /** Mark of the connection after the last hook. */
  readonly connmark?: number
  /** Conntrack zone that a rule set. */
  readonly zone?: number
  /** Rules that the packet reached, in order. */
  readonly path: readonly {
    readonly hook: BuiltinChain
    readonly table: Table
    readonly chain: string
    /** Position of the rule in its chain, from 1. */
    readonly index: number
    /** Text of the rule after `-A CHAIN`. */
    readonly rule: string
    /** True if the rule matched; `undefined` if this is unknown. */
    readonly matched: boolean | undefined
    /** Conditions of the rule that `assume` answered. */
    readonly assumed?: readonly string[]
    /** Effect of the rule on the packet, if the rule's text does not show it. */
    readonly effect?: string
  }[]
}

/** Rule that the packet reached. */
export type TraceStep = Trace['path'][number]
