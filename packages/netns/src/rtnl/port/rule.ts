import type { IpFamily } from '@cni/types/ip'

/** Policy routing rule to add or delete: matching packets use a routing table, or continue at another rule. */
export interface NewPolicyRule {
  readonly family: IpFamily
  /** Routing table for matching packets. A rule with `goto` has table 0. */
  readonly table: number
  /**
   * Priority of the rule at which matching packets continue. The number must be greater than this rule's own priority.
   * The rule with that number may be added later.
   */
  readonly goto?: number | undefined
  readonly fwmark?: number | undefined
  /** Bits of the packet's mark to compare with `fwmark`. Default: all bits. */
  readonly mask?: number | undefined
  /**
   * Priority of the policy routing rule; lower priorities run first. Default: the kernel chooses a priority before the
   * existing rules.
   */
  readonly priority?: number | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** Name of the link on which the packet arrived. */
  readonly iif?: string | undefined
  /** True for an inverted policy routing rule: the rule matches packets that the selectors do not match. */
  readonly invert?: boolean | undefined
}

/** Policy routing rule as read from the kernel. */
export interface PolicyRule {
  readonly family: IpFamily
  /** Routing table for matching packets; 0 for a rule with `goto`. */
  readonly table: number
  readonly goto?: number
  readonly priority: number
  readonly fwmark?: number
  readonly mask?: number
  readonly from?: string
  readonly to?: string
  readonly iif?: string
  readonly invert: boolean
}
