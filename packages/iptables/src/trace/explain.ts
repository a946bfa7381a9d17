import { explainWay } from '@cni/types/packet'
import type { Trace } from './way.ts'

/**
 * Formats a trace for people: every rule that the packet reached (`✓` matched, `·` did not, `?` unknown), its effect,
 * and the result. Escapes rule comments, because a comment must not end its line of the text or its label in the
 * flowchart format.
 */
export function explain(trace: Trace, options?: Parameters<typeof explainWay>[1]): string {
  const path = trace.path.map((step) => ({ ...step, place: `${step.table} ${step.hook}` }))
  return explainWay({ ...trace, path }, options)
}
