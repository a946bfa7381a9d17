import type { IpFamily } from '@cni/types/ip'
import type { IptablesBackend } from './iptables-backend.ts'
import type { Table } from './table.ts'

/** One difference: a rule or chain. `rule` is the rule's text without `-A CHAIN`; it is missing if a chain differs. */
export interface DriftLine {
  readonly family: IpFamily
  readonly table: Table
  readonly chain: string
  readonly rule?: string
  /** Back end in which the rule or chain was found, if that is not the back end in use. */
  readonly backend?: IptablesBackend
}

/**
 * Differences between a ruleset and the rules in the kernel. In the ruleset's own chains, content and order of the
 * rules count. Only rules of the ruleset may jump to these chains. In built-in chains, the ruleset's rules must exist
 * in their relative order. Rules of other programs do not count.
 */
export interface Drift {
  /** Rules and chains of the ruleset that are missing in the kernel. */
  readonly missing: readonly DriftLine[]
  /**
   * Rules and chains in the kernel that the ruleset does not contain. These are rules in its chains, jumps to its
   * chains, and chains that the ruleset declares but does not use.
   */
  readonly unexpected: readonly DriftLine[]
  /** Rules of the ruleset whose content or position in the kernel differs. */
  readonly changed: readonly (DriftLine &
    (
      | {
          /**
           * Difference: the kernel's chain has the same rules in another order. `rule` is the first rule out of order.
           */
          readonly reason: 'order'
        }
      | {
          /** Difference: the kernel has another rule at the position of the expected rule. */
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
