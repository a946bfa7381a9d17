import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { netns } from '@cni/netns'
import { eventually, type SoakNode } from './node.ts'
import type { Damage } from './plan.ts'
import { probedIn, rulesIn, type SoakPod } from './pods.ts'

/** Damages an object that the agent maintains, and waits for the repair. */
export async function damaged(
  what: Damage,
  { place, api, netns: node }: SoakNode,
  pod: SoakPod | undefined,
): Promise<void> {
  const read = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')
  const list = place.path('host/etc/cni/net.d/10-calico.conflist')
  const kubeconfig = place.path('var/run/istio-cni/istio-cni-kubeconfig')
  const token = place.path('var/run/secrets/kubernetes.io/serviceaccount/token')
  switch (what) {
    case 'list':
      writeFileSync(list, '{"cniVersion":"0.3.1","name":"k8s-pod-network","plugins":[{"type":"calico"}]}')
      return eventually(() => read(list).includes('istio-cni'), 'the list has the plugin again', MOST_MS)
    case 'binary': {
      const binary = place.path('host/opt/cni/bin/istio-cni')
      rmSync(binary)
      return eventually(() => existsSync(binary), 'the plugin is there again', MOST_MS)
    }
    case 'kubeconfig':
      rmSync(kubeconfig)
      return eventually(() => read(kubeconfig).includes(api.token), 'the kubeconfig is there again', MOST_MS)
    case 'token': {
      const next = `token-${performance.now()}`
      writeFileSync(token, next)
      await eventually(() => read(kubeconfig).includes(next), 'the kubeconfig has the new token', MOST_MS)
      api.token = next
      return
    }
    case 'host set':
      if (pod === undefined) return
      await netns.exec(node, ['ipset', 'del', 'istio-inpod-probes-v4', pod.address])
      return untilAsync(
        async () => (await probedIn(node)).includes(pod.address),
        `the set of the node has ${pod.name} again`,
      )
    case 'host rules': {
      const before = await rulesIn(node)
      await netns.exec(node, ['iptables-nft', '-t', 'nat', '-F', 'ISTIO_POSTRT'])
      return untilAsync(async () => (await rulesIn(node)) === before, 'the node has its rules again')
    }
    case 'pod rules': {
      if (pod === undefined) return
      const before = await rulesIn(pod.netns)
      await netns.exec(pod.netns, ['iptables-nft', '-t', 'mangle', '-F', 'ISTIO_PRERT'])
      return untilAsync(async () => (await rulesIn(pod.netns)) === before, `${pod.name} has its rules again`)
    }
  }
}

// internal

/** Time limit of a repair: twice the interval at which the agent checks all pods. */
const MOST_MS = 60_000

/** Checks a condition at long intervals, because each check starts programs that take CPU time from the soak test. */
const untilAsync = (condition: () => Promise<boolean>, what: string): Promise<void> => {
  let next = 0
  return eventually(
    async () => {
      if (performance.now() < next) return false
      next = performance.now() + 250
      return await condition()
    },
    what,
    MOST_MS,
  )
}
