/** What the caller of `trace` knows besides the packet and the rules. */
export interface TraceOptions {
  /** Whether the packet is within the rate of every `limit`. */
  readonly limit?: 'within' | 'exceeded'
  /**
   * Answers for statements that are not modelled or not known, by their text as `reason` gives it: whether the packet goes
   * on behind it, `{ 'socket mark 0x00000007': true }`. A step that used one says so.
   */
  readonly assume?: Readonly<Record<string, boolean>>
}
