import type { Packet } from '@cni/types/packet'
import type { Family } from '../wire/family.ts'
import type { BaseChain } from '../wire/specs.ts'

/** Assumptions for a packet trace, about facts that are neither in the packet nor in the rules. */
export interface TraceOptions {
  /** Assumption about every `limit` of the traced rules: the packet is within the rate, or exceeds it. */
  readonly limit?: 'within' | 'exceeded'
  /**
   * Answers to conditions that the trace cannot decide. The key is the condition's text, as the result's `reason`
   * contains it. The value true means that the packet meets the condition. Example: `{ 'socket mark 0x00000007': true
   * }`.
   */
  readonly assume?: Readonly<Record<string, boolean>>
}

/** Result of a packet trace: the rules that the packet reached, and the verdict. */
export interface Trace {
  readonly packet: Packet
  /**
   * Verdict on the traced packet. `undecided` means that the trace cannot decide a statement. `reason` then names the
   * cause.
   */
  readonly verdict: 'accept' | 'drop' | 'reject' | 'undecided'
  /** Rule or policy that gave the verdict on the traced packet. Empty if every base chain accepted the packet. */
  readonly reason: string
  /** Destination of the traced packet after the last hook. An unknown address or port is missing. */
  readonly destination: { readonly address?: string; readonly port?: number }
  /** Source of the traced packet after the last hook. An address or port that the kernel chooses for NAT is missing. */
  readonly source: { readonly address?: string; readonly port?: number }
  /** Kind of rule that rewrote the destination of the traced packet. */
  readonly rewritten?: 'redirect' | 'dnat'
  /** Local proxy that `tproxy` delivers the packet to. The destination stays unchanged. */
  readonly tproxy?: { readonly address?: string; readonly port: number }
  /** Mark of the traced packet after the last hook. Missing if unknown. */
  readonly mark?: number
  /** Mark of the traced packet's connection (`ct mark`). */
  readonly connmark?: number
  /** Conntrack zone that a rule has assigned to the traced packet. */
  readonly zone?: number
  /** Trace steps: every rule that the packet reached, in order. */
  readonly path: readonly {
    readonly hook: BaseChain['hook']
    readonly family: Family
    readonly table: string
    readonly chain: string
    /** Position of the rule in its chain, from 1. */
    readonly index: number
    /** Text of the rule as `nft list` prints it, without counter values. */
    readonly rule: string
    /** True if all conditions of the rule matched the packet. `undefined` if unknown. */
    readonly matched: boolean | undefined
    /** Texts of the rule's statements that the option `assume` answered. */
    readonly assumed?: readonly string[]
    /** Effect of the rule, if the rule's text does not tell it. */
    readonly effect?: string
  }[]
}

export type TraceStep = Trace['path'][number]
