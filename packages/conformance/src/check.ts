import type { Context } from './context.ts'
import type { CheckResult } from './model.ts'

/** A check: its description, and a function that executes the plugin through a context. */
export interface Check extends Pick<CheckResult, 'id' | 'group' | 'title' | 'spec'> {
  /**
   * True if the check only reads earlier executions. Such a check also runs after the suite has stopped executing a
   * plugin that hung too often.
   */
  readonly looksBack?: true
  run(ctx: Context): Promise<void>
}
