/** Result of a call that changes rules, with its rollback. */
export interface Change {
  /** True if the call wrote anything to the kernel. */
  readonly changed: boolean
  /** Generation of the rules after the change. */
  readonly generation: number
  readonly durationMs: number
  /**
   * Rolls back exactly the changes of this call. Later changes of other programs stay, and objects that they use by now
   * stay too. A second call does nothing.
   */
  undo(): Promise<void>
}

export type Plan = 'fresh' | 'replace' | 'unchanged'
