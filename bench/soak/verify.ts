import { readdirSync } from 'node:fs'
import type { Life } from './life.ts'
import type { SoakNode } from './node.ts'
import { isAsLabelled, probedIn, rulesIn, type SoakPod } from './pods.ts'

/** Compares all pods' rules with the expected rules. Returns a sentence for each fault. */
export async function wrongs(node: SoakNode, { pods, reference }: Life): Promise<string[]> {
  const found: string[] = []
  const rules = (pod: SoakPod): string => {
    if (pod.mesh) return reference.get('ambient') ?? 'unknown'
    return pod.kind === 'sidecar' || pod.kind === 'raced' ? (reference.get('sidecar') ?? 'unknown') : ''
  }
  for (const pod of pods.values()) {
    const [is, should] = [await rulesIn(pod.netns), rules(pod)]
    if (is !== should) found.push(`rules of ${pod.kind} pod ${pod.name}:\n${is}\ninstead of\n${should}`)
    if (!isAsLabelled(node.api, pod)) found.push(`the annotation of ${pod.name} is not as its label`)
  }
  const mesh = [...pods.values()].filter((pod) => pod.mesh)
  const same = (what: string, is: readonly string[], should: readonly string[]): void => {
    const [left, right] = [is.toSorted().join(' '), should.toSorted().join(' ')]
    if (left !== right) found.push(`${what}: ${left || 'none'} instead of ${right || 'none'}`)
  }
  same(
    'addresses on the node',
    await probedIn(node.netns),
    mesh.map(({ address }) => address),
  )
  const served = [...node.ztunnel().pods.values()].map(({ uid, problem }) =>
    problem === undefined ? uid : `${uid} (${problem})`,
  )
  same(
    'pods of ztunnel',
    served,
    mesh.map(({ uid }) => uid),
  )
  const sidecars = [...pods.values()].filter(({ kind }) => kind === 'sidecar')
  const records = readdirSync(node.path('var/run/istio-cni/attachments'))
  if (records.length !== sidecars.length) found.push(`${records.length} records of ${sidecars.length} pods with rules`)
  return found
}

/** Checks the first pod of each kind, because later pods are compared with the first pod. */
export function wrongReference({ reference }: Life): string[] {
  const expected = { ambient: 'ISTIO_PRERT', sidecar: 'ISTIO_INBOUND' }
  return Object.entries(expected)
    .filter(([kind, chain]) => !(reference.get(kind as 'ambient' | 'sidecar') ?? '').includes(chain))
    .map(([kind, chain]) => `the first ${kind} pod has no chain ${chain}`)
}
