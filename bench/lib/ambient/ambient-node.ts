import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { dirname } from 'node:path'
import { type Grant, startApiServer } from '@cni/kube/testing'
import type { Netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { connectMarked } from '../../../packages/istio-redirect/src/testing/node/ztunnel/marked-sockets.ts'
import { ask } from '../../../packages/istio-redirect/test/stage/agent-node.ts'
import { type Agent, NODE } from '../agent/measured-agents.ts'
import { rootFolder } from '../agent/root-folder.ts'
import { type BenchPod, MODE, NAMESPACE, showProcesses } from './ambient-pods.ts'

/** A simulated node with its network namespace, its API server, and an agent in ambient mode. */
export type AmbientNode = Awaited<ReturnType<typeof ambientNode>>

/** Clock ticks per second in /proc/PID/stat (USER_HZ). */
const TICK_MS = 10

/** Options for an agent in ambient mode and its node. */
export interface AmbientNodeOptions {
  readonly grants: readonly Grant[]
  /** Additional environment variables of the agent. */
  readonly env?: Readonly<Record<string, string>>
  /** Open file descriptor to which the agent writes its log. */
  readonly log?: number
}

/** Creates a node that exists until the disposal of `stack`. The pods' namespaces must be files in `/run/netns`. */
export async function ambientNode(stack: AsyncDisposableStack, agent: Agent, options: AmbientNodeOptions) {
  const netns = stack.use(await tempNetns())
  const api = stack.use(await startApiServer({ netns, grants: options.grants, namespaces: { [NAMESPACE]: {} } }))
  api.setDaemonSet('istio-system', 'istio-cni-node', {})
  api.setNode(NODE, {})
  const root = stack.use(rootFolder(agent, api))
  root.mount('/run/netns', root.path('host/var/run/netns'))
  const ztunnelSocket = root.path('var/run/ztunnel/ztunnel.sock')
  mkdirSync(dirname(ztunnelSocket))
  showProcesses(root.path(), [])
  const log = options.log ?? (process.env.CNI_BENCH_LOG === undefined ? 'ignore' : 'inherit')
  const env = {
    NODE_NAME: NODE,
    KUBERNETES_NODE_NAME: NODE,
    POD_NAMESPACE: 'istio-system',
    AMBIENT_ENABLED: 'true',
    AMBIENT_ENABLEMENT_SELECTOR: `- podSelector: {matchLabels: {"${MODE}": ambient}}`,
    AMBIENT_IPV6: 'true',
    AMBIENT_DNS_CAPTURE: 'true',
    AMBIENT_RECONCILE_POD_RULES_ON_STARTUP: 'true',
    // Fixes the back end of iptables, because Istio's agent would otherwise choose another back end at its second
    // start.
    FORCE_IPTABLES_BINARY: 'nft',
    ZTUNNEL_UDS_ADDRESS: '/var/run/ztunnel/ztunnel.sock',
    ...options.env,
  }
  const { path, files, pid, stop } = root
  return {
    ...{ netns, api, path, files, pid, stop },
    /** Path of the Unix socket on which the agent listens for ztunnel. */
    ztunnelSocket,
    /** Adds pod processes to the simulated `/proc`, in which the agent finds the pods' network namespaces. */
    show: (pods: readonly BenchPod[]): void => showProcesses(path(), pods),
    /** Starts the agent without waiting until it is ready. */
    start: (): void => void root.start(env, netns, ['ignore', log, log]),
    isReady: (): Promise<boolean> =>
      ask({ agent: undefined, createConnection: () => health(netns), path: '/readyz' }).then(
        ({ status }) => status === 200,
        () => false,
      ),
    /** Reports a started pod to the agent. Returns the milliseconds until the answer. */
    async event(body: string): Promise<number> {
      const began = performance.now()
      const socketPath = path('var/run/istio-cni/pluginevent.sock')
      const answer = await ask({ socketPath, path: '/cmdadd', method: 'POST', body })
      if (answer.status !== 200) throw new Error(`${agent.name} refused a pod: ${answer.body}`)
      return performance.now() - began
    },
    /** CPU time of the agent and of its child processes that have ended, in milliseconds. */
    cpuMs(): number {
      const [, rest = ''] = readFileSync(`/proc/${pid()}/stat`, 'utf8').split(') ')
      const times = rest.split(' ').slice(11, 15).map(Number)
      return times.reduce((sum, ticks) => sum + ticks * TICK_MS, 0)
    },
    /** Memory of the agent in MB, and number of its open file descriptors. */
    memory(): { readonly megabytes: number; readonly descriptors: number } {
      const kilobytes = Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid()}/status`, 'utf8'))?.[1])
      return { megabytes: kilobytes / 1024, descriptors: readdirSync(`/proc/${pid()}/fd`).length }
    },
  }
}

/** Opens a TCP connection to the agent's health endpoint. */
const health = (node: Netns): Socket =>
  new Socket({ fd: connectMarked(node, { address: '127.0.0.1', port: 8000 }), readable: true, writable: true })
