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

export type Plan = 'fresh' | 'replace' | 'unchanged'
