import type { Context } from './context.ts'
import type { CheckResult } from './model.ts'

/** A check of the conformance suite, with the source of its rule. */
export interface Check extends Pick<CheckResult, 'id' | 'group' | 'title' | 'spec'> {
  /** True if the check only evaluates earlier plugin calls. It then runs even after too many time-outs. */
  readonly usesEarlierCalls?: true
  run(ctx: Context): Promise<void>
}
