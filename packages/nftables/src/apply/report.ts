/** Result of a call that changes nftables rules, with the function that rolls the changes back. */
export interface Change {
  /** True if the call wrote anything to the kernel. */
  readonly changed: boolean
  /** Generation number of the namespace's ruleset after the change. The kernel increments the number at each commit. */
  readonly generation: number
  readonly durationMs: number
  /**
   * Rolls back exactly the changes of this call. Later changes of other programs stay. Created objects stay if other
   * programs use them.
   */
  undo(): Promise<void>
}

export type Plan = 'fresh' | 'replace' | 'unchanged'
