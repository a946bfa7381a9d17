import type { Context } from './context.ts'
import type { CheckResult } from './model.ts'

/** One check: data, and a function that talks to the plugin through its context. */
export interface Check extends Pick<CheckResult, 'id' | 'group' | 'title' | 'spec'> {
  /** Judges the executions so far, also of a plugin that hangs too often for any more. */
  readonly looksBack?: true
  run(ctx: Context): Promise<void>
}
