/** What a call changed, and the way back. */
export interface Change {
  /** Whether anything was written. */
  readonly changed: boolean
  /** The kernel's count of changes, afterwards. */
  readonly generation: number
  readonly durationMs: number
  /**
   * Puts back exactly what was in these tables before the call, as bytes; what others have written into them since goes. A
   * second call does nothing.
   */
  undo(): Promise<void>
}

/** What `apply` did. */
export interface ApplyReport extends Change {
  /** `fresh`: none of the tables was there. `replace`: something was, and differed, or had to go. `unchanged`: nothing was written. */
  readonly plan: 'fresh' | 'replace' | 'unchanged'
}
