import { explainWay } from '@cni/types/packet'
import type { Trace } from './trace-types.ts'

/**
 * Formats a trace for people: the rules on the packet's path and the result. Each rule is marked `✓` (matched), `·`
 * (did not match) or `?` (unknown). Escapes rule comments, because a comment must not end its line.
 */
export function explain(trace: Trace, options?: Parameters<typeof explainWay>[1]): string {
  const path = trace.path.map((step) => ({ ...step, place: `${step.table} ${step.hook}` }))
  return explainWay({ ...trace, path }, options)
}
