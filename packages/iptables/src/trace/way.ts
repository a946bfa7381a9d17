import type { Packet } from '@cni/types/packet'
import type { BuiltinChain, Table } from '../rules/model.ts'

/** The way of a packet through the rules, and its end. */
export interface Trace {
  readonly packet: Packet
  /** `undecided`: the trace ended at something that is not modelled or not known; `reason` names it. */
  readonly verdict: 'ACCEPT' | 'DROP' | 'REJECT' | 'undecided'
  /** The rule or policy that decided; empty when every hook accepted the packet. */
  readonly reason: string
  /** The destination after the last hook; an address that is not known is missing. */
  readonly destination: { readonly address?: string; readonly port?: number }
  /** The source after the last hook; what NAT leaves to the kernel's choice is missing. */
  readonly source: { readonly address?: string; readonly port?: number }
  /** The target that rewrote the destination. */
  readonly rewritten?: 'REDIRECT' | 'DNAT'
  /** The local proxy that TPROXY gives the packet to, with the destination unchanged. */
  readonly tproxy?: { readonly address?: string; readonly port: number }
  /** The mark after the last hook; missing when not known. */
  readonly mark?: number
  /** The mark of the connection. */
  readonly connmark?: number
  /** The conntrack zone that a rule set. */
  readonly zone?: number
  /** Every rule that the packet reached, in order. */
  readonly path: readonly {
    readonly hook: BuiltinChain
    readonly table: Table
    readonly chain: string
    /** Position in its chain, from 1. */
    readonly index: number
    /** The rule after `-A CHAIN`. */
    readonly rule: string
    /** `undefined`: not known. */
    readonly matched: boolean | undefined
    /** Conditions that `assume` answered. */
    readonly assumed?: readonly string[]
    /** What the rule did to the packet, where its text does not say it all. */
    readonly effect?: string
  }[]
}

/** One rule that the packet reached. */
export type TraceStep = Trace['path'][number]
