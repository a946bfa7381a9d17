import type { PodCase } from '../../../packages/istio-rules/test/random-pod.ts'
import { type Comparison, judge } from '../judge.ts'
import { type Sandbox, sandbox } from '../sandbox.ts'
import { readState, type State } from '../state.ts'
import { knownDifferences } from './known-differences.ts'

/** Creates a function that compares Istio's plugin and ours for a pod. */
export function podJudge(compare: Comparison<PodCase>['compare']) {
  const states = new Map<string, Promise<State>>()
  const untouched = (one: PodCase): Promise<State> => {
    const key = JSON.stringify([one.addresses, one.withoutIpv6, one.foreign])
    const state = states.get(key) ?? stateOf(one)
    states.set(key, state)
    return state
  }
  return judge({ compare, known: knownDifferences, untouched, canonical: canonicalPod })
}

async function stateOf(given: Sandbox): Promise<State> {
  await using target = await sandbox(given)
  return await readState(target)
}

/** Rewrites lists in annotations without blanks or duplicates, as our plugin reads them. */
function canonicalPod(one: PodCase): PodCase {
  const { metadata } = one.pod
  if (metadata.annotations === undefined) return one
  const entries = Object.entries(metadata.annotations).map(([key, value]) => [key, canonicalList(key, value)])
  return { ...one, pod: { ...one.pod, metadata: { ...metadata, annotations: Object.fromEntries(entries) } } }
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
