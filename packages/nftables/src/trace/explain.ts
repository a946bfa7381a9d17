import { explainWay } from '@cni/types/packet'
import type { Trace } from './trace-types.ts'

/**
 * Readable text of a packet trace, with reached rules and the verdict. Marks of a rule: `✓` matched, `·` did not match,
 * `?` unknown. Another format is a flowchart of the matched rules.
 */
export function explain(trace: Trace, options?: Parameters<typeof explainWay>[1]): string {
  const path = trace.path.map((step) => ({ ...step, place: `${step.hook}: ${step.family} ${step.table}` }))
  return explainWay({ ...trace, path }, options)
}
