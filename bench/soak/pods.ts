import { meshPod } from '@cni/istio-redirect/testing'
import type { ApiServer } from '@cni/kube/testing'
import { type NetnsTarget, netns } from '@cni/netns'
import { NODE } from '../lib/agent/measured-agents.ts'
import { type BenchPod, NAMESPACE, publishPod, statusOf } from '../lib/ambient/ambient-pods.ts'
import type { Kind } from './plan.ts'

/** A pod that currently exists on the soak test's node. */
export interface SoakPod extends BenchPod {
  readonly kind: Kind
  /** True if the pod's label requests the mesh. */
  readonly mesh: boolean
}

/** Publishes a pod in the simulated API server, as scheduled or as running. */
export function publish(api: ApiServer, pod: SoakPod, runs: boolean): void {
  const { name, uid, address, kind, mesh } = pod
  if (kind === 'ambient' || kind === 'outside') {
    publishPod(api, pod, { mesh, runs })
    return
  }
  const made = meshPod({ name, namespace: NAMESPACE })
  const state = { terminated: { exitCode: 126, reason: 'Error' } }
  const noticed = { initContainerStatuses: [{ name: 'istio-validation', state, lastState: {} }] }
  api.setPod({
    ...made,
    metadata: { ...made.metadata, uid },
    spec: { ...made.spec, nodeName: NODE, serviceAccountName: 'soak' },
    status: runs
      ? { phase: 'Running', podIP: address, podIPs: [{ ip: address }], ...(kind === 'raced' && noticed) }
      : { phase: 'Pending' },
  })
}

/** True if the agent's annotation of the pod shows the state that the pod's mesh label requests. */
export const isAsLabelled = (api: ApiServer, pod: SoakPod): boolean =>
  statusOf(api, pod) === (pod.mesh ? 'enabled' : undefined)

/** iptables rules of both IP families in a namespace, without the declarations of built-in chains. */
export async function rulesIn(target: NetnsTarget): Promise<string> {
  const texts = await Promise.all(
    ['iptables-nft-save', 'ip6tables-nft-save'].map((program) => netns.exec(target, [program])),
  )
  const lines = texts.flatMap(({ stdout }) => stdout.split('\n'))
  return lines.filter((line) => line.startsWith('-A') || line.startsWith(':ISTIO')).join('\n')
}

/** Pod addresses in the node's ipsets. Kubelet's probes to these addresses bypass redirection. */
export async function probedIn(node: NetnsTarget): Promise<string[]> {
  const { stdout } = await netns.exec(node, ['ipset', 'save'])
  return [...stdout.matchAll(/^add \S+ (\S+)/gm)].map(([, address = '']) => address)
}
