import type { IpFamily } from '@cni/types/ip'
import type { IptablesBackend } from './iptables-backend.ts'
import type { Table } from './table.ts'

/**
 * One difference, in a rule or in a chain. `rule` is the rule's text without `-A CHAIN`. Without `rule`, the difference
 * concerns a whole chain.
 */
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
 * rules count. In built-in chains, rules of other programs do not count. Only rules of the ruleset may jump to the
 * ruleset's chains.
 */
export interface Drift {
  /** Rules and chains of the ruleset that are missing in the kernel. */
  readonly missing: readonly DriftLine[]
  /**
   * Rules and chains that exist in the kernel, but not in the ruleset:
   * - unknown rules in the ruleset's chains
   * - unknown jumps to these chains
   * - chains that the ruleset declares but does not use
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
  /** Policies of built-in chains that differ between two snapshots. Missing in a comparison with a ruleset. */
  readonly policies?: readonly (Omit<DriftLine, 'rule' | 'backend'> & {
    readonly expected: string
    readonly actual: string
  })[]
}
