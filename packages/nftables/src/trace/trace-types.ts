import type { Packet } from '@cni/types/packet'
import type { Family } from '../wire/family.ts'
import type { BaseChain } from '../wire/specs.ts'

/** Facts that the caller of `trace` knows besides the packet and the rules. */
export interface TraceOptions {
  /** Tells if the packet is within the rate of every `limit`. */
  readonly limit?: 'within' | 'exceeded'
  /**
   * Answers for statements that are not modelled or unknown, by their text in `reason`: true if the packet passes, such
   * as `{ 'socket mark 0x00000007': true }`. A step that used an answer reports it.
   */
  readonly assume?: Readonly<Record<string, boolean>>
}

/** Way of a packet through the rules, and its end. */
export interface Trace {
  readonly packet: Packet
  /** Verdict. `undecided`: the trace ended at something that is not modelled or unknown; `reason` names it. */
  readonly verdict: 'accept' | 'drop' | 'reject' | 'undecided'
  /** Rule or policy that decided; empty if every base chain accepted the packet. */
  readonly reason: string
  /** Destination of the packet after the last hook. Unknown parts are missing. */
  readonly destination: { readonly address?: string; readonly port?: number }
  /** Source of the packet after the last hook. Parts that the kernel chooses for NAT are missing. */
  readonly source: { readonly address?: string; readonly port?: number }
  /** Kind of rule that rewrote the destination. */
  readonly rewritten?: 'redirect' | 'dnat'
  /** Local proxy that `tproxy` delivers the packet to. The destination stays unchanged. */
  readonly tproxy?: { readonly address?: string; readonly port: number }
  /** Mark of the packet after the last hook; missing if unknown. */
  readonly mark?: number
  /** Mark of the connection. */
  readonly connmark?: number
  /** Conntrack zone that a rule has assigned to the packet. */
  readonly zone?: number
  /** Every rule that the packet reached, in order. */
  readonly path: readonly {
    readonly hook: BaseChain['hook']
    readonly family: Family
    readonly table: string
    readonly chain: string
    /** Position of the rule in its chain, from 1. */
    readonly index: number
    /** The rule as `nft list` prints it, without counter values. */
    readonly rule: string
    /** True if the packet reached the end of the rule; `undefined` if unknown. */
    readonly matched: boolean | undefined
    /** Statements that `assume` answered. */
    readonly assumed?: readonly string[]
    /** Effect of the rule on the packet, if its text does not show it completely. */
    readonly effect?: string
  }[]
}

export type TraceStep = Trace['path'][number]
