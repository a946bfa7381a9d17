import type { Packet } from '@cni/types/packet'
import type { Family } from '../wire/family.ts'
import type { BaseChain } from '../wire/specs.ts'

/** What the caller of `trace` knows besides the packet and the rules. */
export interface TraceOptions {
  /** Whether the packet is within the rate of every `limit`. */
  readonly limit?: 'within' | 'exceeded'
  /**
   * Answers for statements that are not modelled or not known, by their text as `reason` gives it: whether the packet goes
   * on behind it, `{ 'socket mark 0x00000007': true }`. A step that used one says so.
   */
  readonly assume?: Readonly<Record<string, boolean>>
}

/** The way of a packet through the rules, and its end. */
export interface Trace {
  readonly packet: Packet
  /** `undecided`: the trace ended at something that is not modelled or not known; `reason` names it. */
  readonly verdict: 'accept' | 'drop' | 'reject' | 'undecided'
  /** The rule or policy that decided; empty when every base chain accepted the packet. */
  readonly reason: string
  /** The destination after the last hook; what is not known is missing. */
  readonly destination: { readonly address?: string; readonly port?: number }
  /** The source after the last hook; what NAT leaves to the kernel's choice is missing. */
  readonly source: { readonly address?: string; readonly port?: number }
  /** What rewrote the destination. */
  readonly rewritten?: 'redirect' | 'dnat'
  /** The local proxy that `tproxy` gives the packet to, with the destination unchanged. */
  readonly tproxy?: { readonly address?: string; readonly port: number }
  /** The mark after the last hook; missing when not known. */
  readonly mark?: number
  /** The mark of the connection. */
  readonly connmark?: number
  /** The conntrack zone that a rule set. */
  readonly zone?: number
  /** Every rule that the packet reached, in order. */
  readonly path: readonly {
    readonly hook: BaseChain['hook']
    readonly family: Family
    readonly table: string
    readonly chain: string
    /** Position in its chain, from 1. */
    readonly index: number
    /** The rule as `nft list` has it, without what its counters counted. */
    readonly rule: string
    /** Whether the packet came to the end of the rule; `undefined`: not known. */
    readonly matched: boolean | undefined
    /** Statements that `assume` answered. */
    readonly assumed?: readonly string[]
    /** What the rule did to the packet, where its text does not say it all. */
    readonly effect?: string
  }[]
}

export type TraceStep = Trace['path'][number]
