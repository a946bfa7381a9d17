import type { IpFamily } from '@cni/types/ip'
import type { IptablesBackend } from './iptables-backend.ts'
import type { Table } from './table.ts'

/** Rule or chain that differs. `rule` is its text without `-A CHAIN`; it is missing for a chain. */
export interface DriftLine {
  readonly family: IpFamily
  readonly table: Table
  readonly chain: string
  readonly rule?: string
  /** Back end of the line, if it is not the one in use. */
  readonly backend?: IptablesBackend
}

/**
 * Difference between a ruleset and the kernel. In own chains, content and order count. In built-in chains, own rules
 * must exist in their relative order, and only wanted rules may jump to own chains. Foreign rules do not count.
 */
export interface Drift {
  /** Rules and chains that are missing in the kernel. */
  readonly missing: readonly DriftLine[]
  /** Unwanted rules and chains in the kernel: in an own chain, or jumping to one. */
  readonly unexpected: readonly DriftLine[]
  /** Existing rules that differ in content or position. */
  readonly changed: readonly (DriftLine &
    (
      | {
          /** All rules exist, but in another order. `rule` is the first one out of order. */
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
