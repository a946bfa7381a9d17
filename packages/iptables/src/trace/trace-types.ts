import type { Packet } from '@cni/types/packet'
import type { BuiltinChain, Table } from '../rules/model.ts'

/** Result of `trace`: the path of a packet through the rules, and the verdict. */
export interface Trace {
  readonly packet: Packet
  /**
   * Verdict of the rules for the packet. `undecided` means an unknown or unmodelled condition, which `reason` names.
   */
  readonly verdict: 'ACCEPT' | 'DROP' | 'REJECT' | 'undecided'
  /** Rule or policy that decided the verdict. Empty if every hook accepted the packet. */
  readonly reason: string
  /** Destination of the packet after the last hook. An unknown address is missing. */
  readonly destination: { readonly address?: string; readonly port?: number }
  /** Source of the packet after the last hook. Parts that the kernel chooses are missing. */
  readonly source: { readonly address?: string; readonly port?: number }
  /** Target (REDIRECT or DNAT) that rewrote the packet's destination. */
  readonly rewritten?: 'REDIRECT' | 'DNAT'
  /** Local proxy to which TPROXY delivers the packet. The packet's destination stays unchanged. */
  readonly tproxy?: { readonly address?: string; readonly port: number }
  /** Mark of the packet after the last hook; missing if unknown. */
  readonly mark?: number
  /** Mark of the connection after the last hook. */
  readonly connmark?: number
  /** Conntrack zone that a rule set for the packet. */
  readonly zone?: number
  /** Rules that the packet reached, in the order of the trace. */
  readonly path: readonly {
    readonly hook: BuiltinChain
    readonly table: Table
    readonly chain: string
    /** Position of the rule in its chain, from 1. */
    readonly index: number
    /** Text of the rule after `-A CHAIN`. */
    readonly rule: string
    /** True if the rule matched the packet; `undefined` if this is unknown. */
    readonly matched: boolean | undefined
    /** Conditions of the rule whose results came from the option `assume`. */
    readonly assumed?: readonly string[]
    /** Effect of the rule on the packet, if the rule's text does not show it. */
    readonly effect?: string
  }[]
}

/** Rule that the traced packet reached, with the result. */
export type TraceStep = Trace['path'][number]
