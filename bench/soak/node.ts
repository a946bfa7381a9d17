import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { ambientGrants, repairGrants } from '@cni/istio-redirect/testing'
import { netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { startZtunnel } from '../../packages/istio-redirect/src/testing/node/ztunnel/ztunnel.ts'
import { NODE, ourAgent } from '../lib/agent/measured-agents.ts'
import { ambientNode } from '../lib/ambient/ambient-node.ts'
import { type BenchPod, NAMESPACE } from '../lib/ambient/ambient-pods.ts'
import { runtimeCall } from '../lib/calls/runtime-call.ts'
import { until } from '../lib/until.ts'

/** The soak test's node: API server, ztunnel, folders and the running agent. */
export type SoakNode = Awaited<ReturnType<typeof soakNode>>

/** Long interval between checks that start programs, because they take CPU time from the soak test. */
export const SPARING = { every: 250 }

const ZTUNNEL_DOWN_MS = 1500
const API_DOWN_MS = 4000
/** Time limit of a plugin call in milliseconds. */
const CALL_MS = 60_000
/** Interval of watch bookmarks, which show that a watch without events is alive. */
const BOOKMARK_MS = 60_000

/** Starts API server, ztunnel and agent of the soak test's node. Resolves when the agent is ready. */
export async function soakNode(log: number) {
  await using starting = new AsyncDisposableStack()
  // Creates a first named namespace: mounts of later namespaces in `/run/netns` then propagate to the agent.
  starting.use(await tempNetns({ name: `soak-node-${process.pid}` }))
  const grants = [...ambientGrants, ...repairGrants.repair]
  const env = { REPAIR_ENABLED: 'true', REPAIR_REPAIR_PODS: 'true', REPAIR_NODE_NAME: NODE }
  const agentNode = await ambientNode(starting, ourAgent, { grants, env, log })
  const { api, netns: node, files } = agentNode
  agentNode.start()
  let ztunnel = startZtunnel({ path: agentNode.ztunnelSocket })
  starting.defer(() => ztunnel[Symbol.asyncDispose]())
  await until(async () => ztunnel.ready && (await agentNode.isReady()), 'the agent is ready')
  const watches = api.watches()
  const bookmarks = setInterval(() => api.bookmark(), BOOKMARK_MS)
  starting.defer(() => clearInterval(bookmarks))
  const { plugins } = JSON.parse(readFileSync(files.list, 'utf8'))
  // Plugins run outside the agent's root folder, so the run directory differs.
  const conf = { ...plugins.at(-1), cni_agent_run_dir: agentNode.path('var/run/istio-cni') }
  const stack = starting.move()
  return {
    ...agentNode,
    /** Returns the stand-in for ztunnel that is connected to the agent now. */
    ztunnel: () => ztunnel,
    /** Calls the installed plugin as a container runtime does. */
    async call(verb: 'ADD' | 'CHECK' | 'DEL', { name, uid, address }: BenchPod): Promise<void> {
      const pod = {
        netns: `/var/run/netns/${name}`,
        container: uid,
        namespace: NAMESPACE,
        name,
        more: [`K8S_POD_UID=${uid}`],
      }
      const { env, stdin } = runtimeCall(verb, pod, `${address}/32`, conf)
      await netns.exec(node, [files.binary], { input: stdin, env, timeout: CALL_MS })
    },
    async restartZtunnel(): Promise<void> {
      await ztunnel.kill()
      await sleep(ZTUNNEL_DOWN_MS)
      ztunnel = startZtunnel({ path: agentNode.ztunnelSocket })
      await until(() => ztunnel.ready, 'a new ztunnel is ready')
    },
    /** Interrupts the API server, so that agents must list all pods again. */
    async restartApi(): Promise<void> {
      const port = new URL(api.url).port
      const rules = `table inet outage { chain input { type filter hook input priority -300; tcp dport ${port} reject with tcp reset; }; }`
      await netns.exec(node, ['nft', rules])
      api.cutAll()
      await sleep(API_DOWN_MS)
      api.compact()
      await netns.exec(node, ['nft', 'delete table inet outage'])
      await until(() => api.watches() >= watches, 'the agent watches again')
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
