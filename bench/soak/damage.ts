import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { netns } from '@cni/netns'
import { conflist } from '../lib/agent/root-folder.ts'
import { until } from '../lib/until.ts'
import { type SoakNode, SPARING } from './node.ts'
import type { Damage } from './plan.ts'
import { probedIn, rulesIn, type SoakPod } from './pods.ts'

/** Damages an object that the agent maintains, and waits for the repair. */
export async function damaged(
  what: Damage,
  { files, api, netns: node }: SoakNode,
  pod: SoakPod | undefined,
): Promise<void> {
  const { list, binary, kubeconfig, token } = files
  const read = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')
  switch (what) {
    case 'list':
      writeFileSync(list, conflist)
      return until(() => read(list).includes('istio-cni'), 'the list has the plugin again')
    case 'binary':
      rmSync(binary)
      return until(() => existsSync(binary), 'the plugin is there again')
    case 'kubeconfig':
      rmSync(kubeconfig)
      return until(() => read(kubeconfig).includes(api.token), 'the kubeconfig is there again')
    case 'token': {
      const next = `token-${performance.now()}`
      writeFileSync(token, next)
      await until(() => read(kubeconfig).includes(next), 'the kubeconfig has the new token')
      api.token = next
      return
    }
    case 'host set':
      if (pod === undefined) return
      await netns.exec(node, ['ipset', 'del', 'istio-inpod-probes-v4', pod.address])
      return until(
        async () => (await probedIn(node)).includes(pod.address),
        `the set of the node has ${pod.name} again`,
        SPARING,
      )
    case 'host rules': {
      const before = await rulesIn(node)
      await netns.exec(node, ['iptables-nft', '-t', 'nat', '-F', 'ISTIO_POSTRT'])
      return until(async () => (await rulesIn(node)) === before, 'the node has its rules again', SPARING)
    }
    case 'pod rules': {
      if (pod === undefined) return
      const before = await rulesIn(pod.netns)
      await netns.exec(pod.netns, ['iptables-nft', '-t', 'mangle', '-F', 'ISTIO_PRERT'])
      return until(async () => (await rulesIn(pod.netns)) === before, `${pod.name} has its rules again`, SPARING)
    }
  }
}
