import type { IpFamily } from '@cni/types/ip'
import type { IptablesBackend } from './iptables-backend.ts'
import type { Table } from './table.ts'

/** One rule or chain that differs. `rule` is its text without the leading `-A CHAIN`; a chain has none. */
export interface DriftLine {
  readonly family: IpFamily
  readonly table: Table
  readonly chain: string
  readonly rule?: string
  /** Set when it stands in the back end that is not in use. */
  readonly backend?: IptablesBackend
}

/**
 * The difference between a ruleset and the kernel. In own chains everything counts: content and order. In built-in
 * chains own rules must be there in their relative order and nothing stale may jump to an own chain; the rules of
 * others are not looked at.
 */
export interface Drift {
  /** Wanted, not there. */
  readonly missing: readonly DriftLine[]
  /** There, in an own chain or jumping to one, not wanted. */
  readonly unexpected: readonly DriftLine[]
  /** There, but another rule or in another place. */
  readonly changed: readonly (DriftLine &
    (
      | {
          /** The rules are all there, but in another order. `rule` is the first one found out of place. */
          readonly reason: 'order'
        }
      | {
          /** A rule stands where another one was expected. */
          readonly reason: 'replaced'
          readonly expected: string
          readonly actual: string
        }
    ))[]
  /** Policies of built-in chains that differ, between two snapshots: a ruleset has none. */
  readonly policies?: readonly (Omit<DriftLine, 'rule' | 'backend'> & {
    readonly expected: string
    readonly actual: string
  })[]
}
