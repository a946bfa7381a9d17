import type { StoredPod } from '@cni/kube/testing'
import type { CommandCase } from './command/random-command.ts'

/** Rewrites lists in annotations without blanks or duplicates, as our plugin reads them. */
export function canonicalPod(pod: StoredPod): StoredPod {
  const { annotations = {} } = pod.metadata
  const entries = Object.entries(annotations).map(([key, value]) => [key, canonicalList(key, value)])
  return { ...pod, metadata: { ...pod.metadata, annotations: Object.fromEntries(entries) } }
}

function canonicalList(key: string, value: string): string {
  if (!/^traffic\.sidecar|^istio\.io\/reroute/.test(key)) return value
  // Keeps blanks in IP ranges, because both plugins refuse a range with a blank.
  if (/IPRanges$/.test(key)) return canonicalItems(value, (item) => item)
  if (/Ports$/.test(key)) {
    return canonicalItems(value.trim(), (item) => (/^\s*\d{1,5}\s*$/.test(item) ? String(Number(item)) : item))
  }
  return canonicalItems(value, (item) => item.trim())
}

const canonicalItems = (value: string, canonical: (item: string) => string): string =>
  [...new Set(value.split(',').map(canonical))].join(',')

/** Rewrites lists in flags and variables as our program reads the lists. Keeps duplicates. */
export function canonicalCommands({ runs, ...ground }: CommandCase): CommandCase {
  return {
    ...ground,
    runs: runs.map(({ argv, env }) => ({
      argv: argv.map(canonicalText),
      env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, canonicalText(value)])),
    })),
  }
}

/** Normalizes list items. Keeps `00` and `01`, because `0` and `1` are valid booleans. */
function canonicalText(text: string): string {
  if (/^(?:--[\w-]+=)?0[01]$/.test(text)) return text
  return text
    .replace(/^(-[a-z]|--[\w-]+=|)\s+/, '$1')
    .replace(/\s*,\s*/g, ',')
    .trimEnd()
    .replace(/(^-[a-z]|[,=]|^)0+(?=\d)/g, '$1')
}
