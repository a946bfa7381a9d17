import type { IpFamily } from '@cni/types/ip'
import type { IptablesBackend } from './iptables-backend.ts'
import type { Table } from './table.ts'

/** Rule or chain that differs from the ruleset. `rule` is the rule's text without `-A CHAIN`. A chain has no `rule`. */
export interface DriftLine {
  readonly family: IpFamily
  readonly table: Table
  readonly chain: string
  readonly rule?: string
  /** Back end that holds the rule or chain, if it is not the back end in use. */
  readonly backend?: IptablesBackend
}

/**
 * Difference between a ruleset and the kernel. In own chains, content and order count. In built-in chains, own rules
 * must exist in their relative order. Only wanted rules may jump to own chains. Foreign rules do not count.
 */
export interface Drift {
  /** Rules and chains of the ruleset that are missing in the kernel. */
  readonly missing: readonly DriftLine[]
  /** Unwanted rules and chains in the kernel: own chains, rules in own chains, and jumps to own chains. */
  readonly unexpected: readonly DriftLine[]
  /** Own rules in the kernel that differ from the ruleset in content or position. */
  readonly changed: readonly (DriftLine &
    (
      | {
          /** All rules of the chain exist, but in another order. `rule` is the first rule out of order. */
          readonly reason: 'order'
        }
      | {
          /** Another rule stands at the position of the expected one. */
          readonly reason: 'replaced'
          readonly expected: string
          readonly actual: string
        }
    ))[]
  /** Policies of built-in chains that differ between two snapshots. A ruleset has no policies. */
  readonly policies?: readonly (Omit<DriftLine, 'rule' | 'backend'> & {
    readonly expected: string
    readonly actual: string
  })[]
}
