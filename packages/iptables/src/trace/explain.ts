import { explainWay } from '@cni/types/packet'
import type { Trace } from './way.ts'

/**
 * A trace for people: every rule the packet came to (`✓` matched, `·` not, `?` not known), what each did, what became
 * of it. Comments of rules cannot break out of a line of text or a label of the flowchart.
 */
export function explain(trace: Trace, options?: Parameters<typeof explainWay>[1]): string {
  const path = trace.path.map((step) => ({ ...step, place: `${step.table} ${step.hook}` }))
  return explainWay({ ...trace, path }, options)
}
