import { basename, dirname } from 'node:path'
import { run } from '@cni/host'
import { meshPod, plainPod } from '@cni/istio-redirect/testing'
import type { Node } from '@cni/istio-redirect/testing/node'
import type { StoredPod } from '@cni/kube/testing'
import { type Netns, netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { NODE } from '../agent/measured-agents.ts'
import type { Contender, Program } from '../race/contender.ts'
import { runtimeCall } from './runtime-call.ts'

export const MESH = onNode(meshPod({ namespace: 'demo', name: 'mesh' }))
export const OUTSIDE = onNode(plainPod({ namespace: 'demo', name: 'outside' }))

function onNode(pod: StoredPod): StoredPod {
  return { ...pod, spec: { ...pod.spec, nodeName: NODE } }
}

/** A measured plugin. */
export interface Plugin extends Program {
  /** Additional members for the plugin's configuration. */
  conf?: object
}

/** Calls ADD of a plugin in a new namespace without rules. */
export function add(node: Node, plugin: Plugin, pod: string, expectsRules: boolean, conf: object = {}): Contender {
  const { name, reference = false } = plugin
  return {
    name,
    reference,
    async prepare() {
      const podNetns = await podNamespace()
      return {
        ...call(node, plugin, 'ADD', podNetns, pod, conf),
        async verify() {
          if ((await hasRules(podNetns)) !== expectsRules) throw new Error(`${name}: wrong rules`)
        },
        cleanUp: () => podNetns[Symbol.asyncDispose](),
      }
    },
  }
}

/** True if a pod's namespace has the rules of a sidecar, as iptables or as native nftables rules. */
export async function hasRules(pod: Netns): Promise<boolean> {
  const { stdout } = await netns.exec(pod, ['nft', 'list', 'ruleset'])
  return /istio.output/i.test(stdout)
}

/** Calls CHECK or DEL of a plugin, after an ADD that is not timed. */
export function after(node: Node, plugin: Plugin, verb: 'CHECK' | 'DEL'): Contender {
  const { name, reference = false } = plugin
  return {
    name,
    reference,
    async prepare() {
      const podNetns = await podNamespace()
      const { argv, env, stdin } = call(node, plugin, 'ADD', podNetns, MESH.metadata.name)
      await run(argv, { env, input: stdin })
      return {
        ...call(node, plugin, verb, podNetns, MESH.metadata.name),
        cleanUp: () => podNetns[Symbol.asyncDispose](),
      }
    },
  }
}

/** Creates a pod's network namespace for an ADD of the plugin. The namespace already has a pod address. */
export async function podNamespace(): Promise<Netns & AsyncDisposable> {
  const podNetns = await tempNetns()
  await netns.exec(podNetns, ['ip', 'address', 'add', '10.222.0.9/32', 'dev', 'lo'])
  return podNetns
}

/** Arguments, environment and input of one plugin call, as a container runtime makes the call. */
export function call(
  node: Pick<Node, 'api' | 'conflist'>,
  plugin: Plugin,
  verb: string,
  podNetns: Netns,
  name: string,
  conf: object = {},
) {
  const [, entry] = node.conflist.plugins
  const uid = node.api.getPod('demo', name)?.metadata.uid
  // A known container id would make the plugin check the state of the earlier ADD.
  const container = basename(dirname(podNetns.path))
  const pod = { netns: podNetns.path, container, namespace: 'demo', name, more: [`K8S_POD_UID=${uid}`] }
  const all = { ...entry, ...plugin.conf, ...conf }
  return { argv: plugin.argv, ...runtimeCall(verb, pod, '10.222.0.9/24', all) }
}
