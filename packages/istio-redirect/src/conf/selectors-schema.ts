import { selectorProblem } from '@cni/istio-rules'
import * as z from 'zod/mini'

/**
 * Makes the schema of ambient mode's pod selectors. `text` is the schema of a label value. An unknown key is an error.
 * If a misspelt key were ignored, its selector would match every pod.
 */
export function selectorsOf<Text extends z.ZodMiniType<string>>(text: Text) {
  const labelSelector = z
    .strictObject({
      matchLabels: z.nullish(z.record(z.string(), text)),
      matchExpressions: z.nullish(
        z.array(
          z.strictObject({
            key: z.string(),
            operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
            values: z.nullish(z.array(text)),
          }),
        ),
      ),
    })
    .check(({ value, issues }) => {
      const message = selectorProblem(value)
      if (message !== undefined) issues.push({ code: 'custom', message, input: value })
    })
  return z.array(z.strictObject({ podSelector: z.nullish(labelSelector), namespaceSelector: z.nullish(labelSelector) }))
}
