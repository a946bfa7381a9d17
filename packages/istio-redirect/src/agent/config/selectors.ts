import type { EnablementSelector, LabelSelector } from '@cni/istio-rules'
import { messageOf } from '@cni/types'
import { parse } from 'yaml'
import * as z from 'zod/mini'
import { selectorsOf } from '../../conf/selectors-schema.ts'
import { ConfigError } from './config-error.ts'

// Converts a value to text, as Istio does. YAML 1.1 reads words such as `on` as true.
const scalar = z.pipe(z.union([z.string(), z.boolean(), z.number()]), z.transform(String))

const selectors = z.nullish(selectorsOf(scalar))

/** Enablement selectors of node-level redirection, which ignore the labels of pods. */
export const nodeLevelSelectors: EnablementSelector[] = [
  { podSelector: {}, namespaceSelector: { matchLabels: { 'istio.io/dataplane-mode': 'ambient' } } },
]

type Selector = NonNullable<z.infer<typeof selectors>>[number]['podSelector']

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

function plain(selector: Selector): LabelSelector {
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
