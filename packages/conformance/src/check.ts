import type { Context } from './context.ts'
import type { CheckResult } from './model.ts'

/** A check: its description, and a function that executes the plugin through a context. */
export interface Check extends Pick<CheckResult, 'id' | 'group' | 'title' | 'spec'> {
  /** True if the check reads earlier executions only. It then also runs after the plugin hung too often. */
  readonly looksBack?: true
  run(ctx: Context): Promise<void>
}
