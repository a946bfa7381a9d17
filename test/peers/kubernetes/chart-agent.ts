import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { isKubeError } from '@cni/kube'
import { netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { isObject } from '@cni/types'
import { beforeAll } from 'vitest'
import { startZtunnel } from '../../../packages/istio-redirect/src/testing/node/ztunnel/ztunnel.ts'
import type { Manifest } from '../../../packages/istio-redirect/test/chart/manifest.ts'
import { startPlugin } from '../../../packages/istio-redirect/test/e2e/agent/add-pod.ts'
import { AGENT, agentNode } from '../../../packages/istio-redirect/test/stage/agent-node.ts'
import { addAddresses } from '../../../packages/istio-redirect/test/stage/kernel.ts'
import { kubeClient } from '../../../packages/kube/src/client/client.ts'
import { serviceAccountAccess } from '../../../packages/kube/src/config/service-account.ts'
import { type KubeServer, startKubeServer } from '../../../packages/kube/test/kube-server.ts'
import { forSuite } from '../../for-suite.ts'
import { type AccountRight, chartIn, type Mode, without } from './chart-modes.ts'
import { programs } from './missing-programs.ts'
import { create, pathOf, send } from './requests.ts'

export const NAMESPACE = 'istio-system'
/** Path of the primary network's conflist on the test node. */
export const CONFLIST = 'net/10-calico.conflist'
const NAMESPACES = [NAMESPACE, 'demo']
const NODE = 'n1'
const NODE_IP = '10.88.0.1'

/** Agent with the accounts, the permissions and the configuration of our chart, on a test node of its own. */
export type ChartAgent = Awaited<ReturnType<typeof chartAgent>>

/** Starts the agent with the Kubernetes objects of our chart for a mode. The agent lacks the permission `lacks`. */
export async function chartAgent(
  kube: KubeServer,
  mode: Mode,
  { lacks, env = {} }: { readonly lacks?: AccountRight; readonly env?: Readonly<Record<string, string>> } = {},
) {
  await using stack = new AsyncDisposableStack()
  for (const namespace of NAMESPACES) await send(kube, 'DELETE', `/api/v1/namespaces/${namespace}/events`)
  const all = chartIn(mode)
  const objects = lacks === undefined ? all : without(all, lacks)
  for (const object of objects) {
    await create(kube, object)
    stack.defer(() => remove(kube, object))
  }
  const target = stack.use(await tempNetns())
  await addAddresses(target, [NODE_IP])
  // Mounts the pod's network namespace before the agent starts, because the agent does not see later mounts.
  const pod = stack.use(await tempNetns())
  await addAddresses(pod, ['10.1.2.3'])
  const node = stack.use(agentNode())
  const data = objects.find(({ kind }) => kind === 'ConfigMap')?.data
  Object.assign(node.env, isObject(data) ? data : {}, {
    KUBERNETES_SERVICE_HOST: '127.0.0.1',
    KUBERNETES_SERVICE_PORT: String(kube.port),
    NODE_NAME: NODE,
    REPAIR_NODE_NAME: NODE,
    POD_NAMESPACE: NAMESPACE,
    POD_NAME: 'istio-cni-node-x7x7x',
    POD_UID: 'u-1',
    PLUGIN_SERVICE_ACCOUNT: 'istio-cni-plugin',
    ALLOW_SWITCH_TO_HOST_NS: 'true',
    AMBIENT_CONFIG_FILE: node.path('ambient/config.json'),
    ...env,
  })
  node.write('sa/token', await agentToken(kube))
  node.write('sa/ca.crt', readFileSync(kube.caFile, 'utf8'))
  // Mounts the test node over `/proc/1`, because the agent reads the node's namespace there.
  const inNode = 'mount --bind "/proc/$0" /proc/1 && exec "$1"'
  // Keeps the test node's namespace visible in procfs.
  const holder = stack.use(netns.run(target, () => spawn('sleep', ['3600'], { stdio: 'ignore' })))
  const agent = await node.start({
    file: ['unshare', '--mount', 'sh', '-c', inNode, String(holder.pid), AGENT],
  })
  const inPods = mode === 'ambient'
  const ztunnel = inPods ? stack.use(startZtunnel({ path: node.path('ztunnel.sock') })) : undefined
  const everything = stack.move()
  return {
    node,
    agent,
    /** True if the agent is ready. In ambient mode the test node's ztunnel must be ready, too. */
    ready: async () => (await agent.ready()) && ztunnel?.ready !== false,
    /** Returns the agent's log. Unescapes quotation marks in messages of the API server. */
    log: () => unescaped(agent.log()),
    /** Creates a Kubernetes client with the plugin's token from the test node. */
    plugin: () =>
      kubeClient(
        serviceAccountAccess({ server: kube.url, caFile: kube.caFile, tokenFile: node.path('run/istio-cni-token') }),
      ),
    status: async () => (await node.command('status', `--health-port=${agent.port}`)).stdout,
    /** Calls the plugin's ADD for a pod of the namespace `demo`, without a UID. */
    async add(name: string, { alone }: { readonly alone: boolean }): Promise<string> {
      const { plugins } = JSON.parse(node.read(CONFLIST))
      const conf = { ...plugins.at(-1), ...(alone ? { agent: 'never' } : {}) }
      const { stdout, stderr } = await startPlugin(conf, { name, netns: pod.path }).called
      return unescaped(stderr + stdout)
    },
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}

/** Starts a real API server for the tests of a suite. The server has the objects that our agent needs. */
export function suiteServer(): () => KubeServer {
  const kube = forSuite(() => startKubeServer(programs))
  beforeAll(() => prepare(kube()))
  return kube
}

// internal

/** Creates the objects that our agent needs in the API server before its start: namespaces and the Node. */
async function prepare(kube: KubeServer): Promise<void> {
  for (const name of NAMESPACES) {
    await create(kube, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  }
  const status = { addresses: [{ type: 'InternalIP', address: NODE_IP }] }
  await create(kube, {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: NODE, labels: { mesh: 'yes', 'kubernetes.io/os': 'linux' } },
    status,
  })
}

const unescaped = (text: string): string => text.replaceAll('\\"', '"')

async function agentToken(kube: KubeServer): Promise<string> {
  const path = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/istio-cni/token`
  const answer = await send(kube, 'POST', path, { spec: { expirationSeconds: 3600 } })
  return isObject(answer) && isObject(answer.status) ? String(answer.status.token) : ''
}

async function remove(kube: KubeServer, object: Manifest): Promise<void> {
  // Requests background deletion, because the test's API server has no garbage collector.
  const path = `${pathOf(object)}/${object.metadata.name}?propagationPolicy=Background`
  await send(kube, 'DELETE', path).catch((error: unknown) => {
    if (!isKubeError(error) || error.status !== 404) throw error
  })
}
