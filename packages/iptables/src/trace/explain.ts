import { explainWay } from '@cni/types/packet'
import type { Trace } from './way.ts'

/**
 * Formats a trace for people: every rule that the packet reached (`✓` matched, `·` did not, `?` unknown), its effect,
 * and the result. A rule's comment cannot end the line of text or the label of the flowchart that contains it.
 */
export function explain(trace: Trace, options?: Parameters<typeof explainWay>[1]): string {
  const path = trace.path.map((step) => ({ ...step, place: `${step.table} ${step.hook}` }))
  return explainWay({ ...trace, path }, options)
}
