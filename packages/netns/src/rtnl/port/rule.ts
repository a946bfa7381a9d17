import type { IpFamily } from '@cni/types/ip'

/** A policy routing rule to add or delete: packets that match use the table, or go on at another rule. */
export interface NewPolicyRule {
  readonly family: IpFamily
  /** 0 with `goto`. */
  readonly table: number
  /** The priority of the rule to go on at, which is a later one; it may come later, too. */
  readonly goto?: number | undefined
  readonly fwmark?: number | undefined
  /** Bits of the mark that count. Default: all. */
  readonly mask?: number | undefined
  /** Lower is earlier. Default: the kernel chooses one before the existing rules. */
  readonly priority?: number | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
  /** Name of the link the packet came in on. */
  readonly iif?: string | undefined
  /** Matches what the rest does not. */
  readonly invert?: boolean | undefined
}

/** A rule of the kernel. */
export interface PolicyRule {
  readonly family: IpFamily
  /** 0 of a rule with `goto`. */
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
