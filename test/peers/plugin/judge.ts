import type { StoredPod } from '@cni/kube/testing'
import type { PodCase } from '../../../packages/istio-rules/test/random-pod.ts'
import { canonicalPod } from '../canonical.ts'
import { type Sandbox, sandbox } from '../sandbox.ts'
import { readState, type State } from '../state.ts'
import type { Verdict } from '../sweep.ts'
import { differences, type Field, shown } from './fields.ts'
import { knownDifferences, LISTS } from './known-differences.ts'
import type { Plugins } from './plugin-pair.ts'

/** Creates a function that compares Istio's plugin and ours for a pod. */
export function podJudge(both: Pick<Plugins, 'compare'>): (one: PodCase) => Promise<Verdict> {
  const grounds = new Map<string, Promise<State>>()
  const untouched = (one: PodCase): Promise<State> => {
    const key = JSON.stringify([one.addresses, one.withoutIpv6, one.foreign])
    const state = grounds.get(key) ?? stateOf(one)
    grounds.set(key, state)
    return state
  }
  const judge = async (one: PodCase, theirPod?: StoredPod): Promise<Verdict> => {
    const pair = await both.compare(one, theirPod)
    const fields = differences(pair)
    if (fields.length === 0) return { unexplained: [], explained: [] }
    const seen = { one, pair, untouched: await untouched(one) }
    const explained = new Set<string>()
    const unexplained = fields.filter((field) => {
      const known = knownDifferences.find((each) => each.holds(seen, field))
      if (known !== undefined) explained.add(known.id)
      return known === undefined
    })
    return { unexplained, explained: [...explained], print: () => printed(one, unexplained, pair) }
  }
  return async (one) => {
    const first = await judge(one)
    const canonical = canonicalPod(one.pod)
    if (first.unexplained.length === 0 || JSON.stringify(canonical) === JSON.stringify(one.pod)) return first
    const second = await judge(one, canonical)
    return { ...second, explained: [LISTS, ...second.explained] }
  }
}

function printed(one: PodCase, fields: readonly Field[], { theirs, ours }: Parameters<typeof differences>[0]): string {
  const texts = fields.map((field) => `--- theirs: ${field}\n${shown(theirs, field)}\n+++ ours\n${shown(ours, field)}`)
  return [JSON.stringify(one), ...texts, theirs.stdout, ours.stdout].join('\n')
}

async function stateOf(given: Sandbox): Promise<State> {
  await using target = await sandbox(given)
  return readState(target)
}
