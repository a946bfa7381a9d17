import type { Context } from './context.ts'
import type { Group } from './model.ts'

/** One check: data, and a function that talks to the plugin through its context. */
export interface Check {
  readonly id: string
  readonly group: Group
  /** What a conforming plugin does, as a sentence. */
  readonly title: string
  /** Where that is written. */
  readonly spec: string
  /** Judges the executions so far, also of a plugin that hangs too often for any more. */
  readonly looksBack?: true
  run(ctx: Context): Promise<void>
}
