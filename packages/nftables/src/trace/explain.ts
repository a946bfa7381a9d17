import { explainWay } from '@cni/types/packet'
import type { Trace } from './trace-types.ts'

/**
 * Readable text of a trace: every rule that the packet reached (`✓` matched, `·` did not match, `?` unknown), its
 * effect, and the packet's end. Or a flowchart of the matched rules. Names and comments cannot break out of a line or a
 * label.
 */
export function explain(trace: Trace, options?: Parameters<typeof explainWay>[1]): string {
  const path = trace.path.map((step) => ({ ...step, place: `${step.hook}: ${step.family} ${step.table}` }))
  return explainWay({ ...trace, path }, options)
}
