import { readFileSync } from 'node:fs'
import { ambientGrants, repairGrants } from '@cni/istio-redirect/testing'
import type { Ztunnel } from '@cni/istio-redirect/testing/node'
import { type ApiServer, startApiServer } from '@cni/kube/testing'
import { type Netns, netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { startZtunnel } from '../../packages/istio-redirect/src/testing/node/ztunnel/ztunnel.ts'
import type { Agent } from '../lib/agent-place.ts'
import { type AmbientPlace, ambientPlace } from '../lib/ambient-place.ts'
import { NODE } from '../lib/ambient-pods.ts'

/** The soak test's node: API server, ztunnel, folders and the running agent. */
export interface SoakNode extends AsyncDisposable {
  readonly netns: Netns
  readonly api: ApiServer
  readonly place: AmbientPlace
  /** Stand-in for ztunnel that is connected to the agent now. */
  readonly ztunnel: Ztunnel
  /** Calls the installed plugin as a container runtime does. */
  call(verb: 'ADD' | 'CHECK' | 'DEL', pod: CalledPod): Promise<void>
  restartZtunnel(): Promise<void>
  /** Interrupts the API server, so that agents must list all pods again. */
  restartApi(): Promise<void>
}

/** A pod of the soak test, with the data that the container runtime passes to the plugin. */
export interface CalledPod {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly address: string
}

const ZTUNNEL_DOWN_MS = 1500
const API_DOWN_MS = 4000
const MOST_MS = 60_000
/** Interval of watch bookmarks, which show that a watch without events is alive. */
const BOOKMARK_MS = 60_000

/** Starts API server, ztunnel and agent of the soak test's node. Resolves when the agent is ready. */
export async function soakNode(agent: Agent, log: number | undefined): Promise<SoakNode> {
  await using starting = new AsyncDisposableStack()
  const node = starting.use(await tempNetns())
  // Creates a first named namespace: mounts of later namespaces in `/run/netns` then propagate to the agent.
  starting.use(await tempNetns({ name: `soak-node-${process.pid}` }))
  const grants = [...ambientGrants, ...repairGrants.repair]
  const api = starting.use(await startApiServer({ netns: node, grants, namespaces: { mesh: {} } }))
  api.setDaemonSet('istio-system', 'istio-cni-node', {})
  api.setNode(NODE, {})
  const env = { REPAIR_ENABLED: 'true', REPAIR_REPAIR_PODS: 'true', REPAIR_NODE_NAME: NODE }
  const place = starting.use(ambientPlace(agent, node, api, { env, ...(log !== undefined && { log }) }))
  place.show([])
  place.start()
  let ztunnel = startZtunnel({ path: place.ztunnelSocket })
  starting.defer(() => ztunnel[Symbol.asyncDispose]())
  await eventually(async () => ztunnel.ready && (await place.isReady()), 'the agent is ready')
  const watches = api.watches()
  const bookmarks = setInterval(() => api.bookmark(), BOOKMARK_MS)
  starting.defer(() => clearInterval(bookmarks))
  const entry = entryOf(place)
  const stack = starting.move()
  return {
    netns: node,
    api,
    place,
    get ztunnel() {
      return ztunnel
    },
    async call(verb, pod) {
      const { input, env } = callOf(verb, pod, entry)
      await netns.exec(node, [place.path('host/opt/cni/bin/istio-cni')], { input, env, timeout: MOST_MS })
    },
    async restartZtunnel() {
      await ztunnel.kill()
      await pause(ZTUNNEL_DOWN_MS)
      ztunnel = startZtunnel({ path: place.ztunnelSocket })
      await eventually(() => ztunnel.ready, 'a new ztunnel is ready')
    },
    async restartApi() {
      const port = new URL(api.url).port
      const rules = `table inet outage { chain input { type filter hook input priority -300; tcp dport ${port} reject with tcp reset; }; }`
      await netns.exec(node, ['nft', rules])
      api.cutAll()
      await pause(API_DOWN_MS)
      api.compact()
      await netns.exec(node, ['nft', 'delete table inet outage'])
      await eventually(() => api.watches() >= watches, 'the agent watches again')
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** Checks a condition every 20 ms until the condition is true. Throws after the time limit. */
export async function eventually(
  condition: () => boolean | Promise<boolean>,
  what: string,
  limit = MOST_MS,
): Promise<void> {
  const deadline = performance.now() + limit
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${limit / 1000} s`)
    await pause(20)
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms))

// internal

/** Configuration of the installed plugin. Plugins run outside the agent's root folder, so the run directory differs. */
function entryOf(place: AmbientPlace): object {
  const list = JSON.parse(readFileSync(place.path('host/etc/cni/net.d/10-calico.conflist'), 'utf8'))
  const entry = list.plugins.find(({ type }: { type: string }) => type === 'istio-cni')
  return { ...entry, cni_agent_run_dir: place.path('var/run/istio-cni') }
}

function callOf(verb: string, { namespace, name, uid, address }: CalledPod, entry: object) {
  const path = `/var/run/netns/${name}`
  const prevResult = {
    cniVersion: '1.0.0',
    interfaces: [{ name: 'eth0', sandbox: path }],
    ips: [{ interface: 0, address: `${address}/32` }],
  }
  return {
    input: JSON.stringify({ ...entry, cniVersion: '1.0.0', name: 'soak', prevResult }),
    env: {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      CNI_COMMAND: verb,
      CNI_CONTAINERID: uid,
      CNI_NETNS: path,
      CNI_IFNAME: 'eth0',
      CNI_PATH: '/opt/cni/bin',
      CNI_ARGS: `IgnoreUnknown=1;K8S_POD_NAMESPACE=${namespace};K8S_POD_NAME=${name};K8S_POD_UID=${uid}`,
    },
  }
}
