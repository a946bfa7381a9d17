import type { Netns } from '@cni/netns'
import { type PluginOutcome, runPlugin } from '@cni/skel'
import type { PodCase } from '../../istio-rules/test/random-pod.ts'
import { plugin } from '../src/plugin/plugin.ts'
import { configuration } from './e2e/original/plugin-pair.ts'

/** One ADD of a random pod in a namespace. */
export function addRandomPod(one: PodCase, target: Netns, runDir: string): Promise<PluginOutcome> {
  const { namespace, name } = one.pod.metadata
  return runPlugin(plugin, {
    env: {
      PATH: process.env.PATH,
      ...one.env,
      CNI_COMMAND: 'ADD',
      CNI_CONTAINERID: 'pod',
      CNI_NETNS: target.path,
      CNI_IFNAME: 'eth0',
      CNI_PATH: '/opt/cni/bin',
      CNI_ARGS: `IgnoreUnknown=1;K8S_POD_NAMESPACE=${namespace};K8S_POD_NAME=${name};${one.args}`,
    },
    stdin: () => JSON.stringify(configuration(one, runDir)),
  })
}
