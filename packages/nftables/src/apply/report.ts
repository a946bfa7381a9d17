/** What a call changed, and the way back. */
export interface Change {
  /** Whether anything was written. */
  readonly changed: boolean
  /** The kernel's count of changes, afterwards. */
  readonly generation: number
  readonly durationMs: number
  /**
   * Takes back what this call changed, as bytes, and nothing else: what others changed since stays, and so does what they
   * use by now. A second call does nothing.
   */
  undo(): Promise<void>
}

/** What `apply` did. */
export interface ApplyReport extends Change {
  /** `fresh`: none of the tables was there. `replace`: something was, and differed, or had to go. `unchanged`: nothing was written. */
  readonly plan: 'fresh' | 'replace' | 'unchanged'
}
