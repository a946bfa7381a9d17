import type { EnablementSelector } from '@cni/istio-rules'
import { type LabelSelector, selectorProblem } from '@cni/istio-rules'
import { messageOf } from '@cni/types'
import { parse } from 'yaml'
import * as z from 'zod/mini'
import { ConfigError } from './config-error.ts'

// Converts a value to text, as Istio does. YAML 1.1 reads words such as `on` as true.
const scalar = z.pipe(z.union([z.string(), z.boolean(), z.number()]), z.transform(String))

const labelSelector = z
  .strictObject({
    matchLabels: z.nullish(z.record(z.string(), scalar)),
    matchExpressions: z.nullish(
      z.array(
        z.strictObject({
          key: z.string(),
          operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
          values: z.nullish(z.array(scalar)),
        }),
      ),
    ),
  })
  .check(({ value, issues }) => {
    const message = selectorProblem(value)
    if (message !== undefined) issues.push({ code: 'custom', message, input: value })
  })

/** Schema of the enablement selectors. Refuses unknown keys, because a misspelt selector would match every pod. */
const selectors = z.nullish(
  z.array(z.strictObject({ podSelector: z.nullish(labelSelector), namespaceSelector: z.nullish(labelSelector) })),
)

/** Enablement selectors of node-level redirection, which ignore the labels of pods. */
export const nodeLevelSelectors: EnablementSelector[] = [
  { podSelector: {}, namespaceSelector: { matchLabels: { 'istio.io/dataplane-mode': 'ambient' } } },
]

type Selector = z.infer<typeof labelSelector>

/**
 * Parses the YAML of `AMBIENT_ENABLEMENT_SELECTOR` into the selectors of the plugin's configuration.
 *
 * @throws {@link ConfigError} if the value is not a list of selectors.
 */
export function parseSelectors(yaml: string): EnablementSelector[] {
  let document: unknown
  try {
    document = parse(yaml, { version: '1.1', maxAliasCount: 20 })
  } catch (cause) {
    const [first = ''] = messageOf(cause).split('\n')
    throw new ConfigError(`AMBIENT_ENABLEMENT_SELECTOR is not YAML: ${first}`, { cause })
  }
  const parsed = z.safeParse(selectors, document)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const where = issue?.path.map(String).join('.') || 'the document'
    throw new ConfigError(`AMBIENT_ENABLEMENT_SELECTOR: ${where}: ${issue?.message ?? 'not a list of selectors'}`)
  }
  return (parsed.data ?? []).map(({ podSelector, namespaceSelector }) => ({
    podSelector: plain(podSelector),
    namespaceSelector: plain(namespaceSelector),
  }))
}

function plain(selector: Selector | null | undefined): LabelSelector {
  const { matchLabels, matchExpressions } = selector ?? {}
  return {
    ...(Object.keys(matchLabels ?? {}).length > 0 ? { matchLabels } : {}),
    ...(matchExpressions && matchExpressions.length > 0
      ? {
          matchExpressions: matchExpressions.map(({ key, operator, values }) => ({
            key,
            operator,
            ...(values && values.length > 0 ? { values } : {}),
          })),
        }
      : {}),
  }
}
