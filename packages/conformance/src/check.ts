import type { Context } from './context.ts'
import type { CheckResult } from './model.ts'

/** A check of the conformance suite: id, title and source of the rule, and a function that tests the plugin. */
export interface Check extends Pick<CheckResult, 'id' | 'group' | 'title' | 'spec'> {
  /**
   * True if the check only evaluates earlier calls of the plugin. Such a check runs even after the suite has stopped
   * calling the plugin because of too many time-outs.
   */
  readonly looksBack?: true
  run(ctx: Context): Promise<void>
}
