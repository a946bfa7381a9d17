import { explainWay } from '@cni/types/packet'
import type { Trace } from './trace-types.ts'

/**
 * A trace for people: every rule the packet came to (`✓` to its end, `·` not, `?` not known), what each did, what became
 * of it; or as a flowchart of those that matched. Names and comments cannot break out of a line, or a label.
 */
export function explain(trace: Trace, options?: Parameters<typeof explainWay>[1]): string {
  const path = trace.path.map((step) => ({ ...step, place: `${step.hook}: ${step.family} ${step.table}` }))
  return explainWay({ ...trace, path }, options)
}
