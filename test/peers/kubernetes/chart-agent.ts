import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { isKubeError } from '@cni/kube'
import type { Netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { isObject } from '@cni/types'
import { startZtunnel } from '../../../packages/istio-redirect/src/testing/node/ztunnel/ztunnel.ts'
import { type Manifest, rendered } from '../../../packages/istio-redirect/test/chart/manifest.ts'
import { startPlugin } from '../../../packages/istio-redirect/test/e2e/agent/add-pod.ts'
import { AGENT, type AgentProcess, agentNode } from '../../../packages/istio-redirect/test/stage/agent-node.ts'
import { addAddresses } from '../../../packages/istio-redirect/test/stage/kernel.ts'
import { type KubeClient, kubeClient } from '../../../packages/kube/src/client/client.ts'
import { serviceAccountAccess } from '../../../packages/kube/src/config/service-account.ts'
import type { KubeServer } from '../../../packages/kube/test/kube-server.ts'
import { type AccountRight, type Mode, modes, without } from './chart-modes.ts'

export const NAMESPACE = 'istio-system'
const NODE = 'n1'
const NODE_IP = '10.88.0.1'

/** Agent with the accounts, the permissions and the configuration of our chart, on a test node of its own. */
export interface ChartAgent extends AsyncDisposable {
  readonly agent: AgentProcess
  /** True if the agent is ready. In ambient mode the test node's ztunnel must be ready, too. */
  ready(): Promise<boolean>
  /** Returns the agent's log. Unescapes quotation marks in messages of the API server. */
  log(): string
  /** Reads a file of the test node, such as `run/istio-cni-token`. */
  read(name: string): string
  /** Creates a Kubernetes client with the plugin's token from the test node. */
  plugin(): KubeClient
  status(): Promise<string>
  /** Calls the plugin's ADD for a pod of the namespace `demo`, without a UID. */
  add(name: string, change?: { readonly alone?: boolean }): Promise<string>
  /** Writes the conflist of the test node's primary network. */
  writeList(text: string): void
}

/** Options of the agent under test: a missing permission, and environment variables. */
export interface ChartAgentOptions {
  readonly lacks?: AccountRight
  readonly env?: Readonly<Record<string, string>>
}

/** Starts the agent with the Kubernetes objects that our chart renders for a mode. */
export async function chartAgent(kube: KubeServer, mode: Mode, options: ChartAgentOptions = {}): Promise<ChartAgent> {
  await using stack = new AsyncDisposableStack()
  await forgetEvents(kube)
  const all = rendered({ image: 'h/install-cni:1', ...modes[mode] })
  const objects = options.lacks === undefined ? all : without(all, options.lacks)
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
    ZTUNNEL_UDS_ADDRESS: node.path('ztunnel.sock'),
    ...options.env,
  })
  node.write('sa/token', await tokenOf(kube, 'istio-cni'))
  node.write('sa/ca.crt', readFileSync(kube.caFile, 'utf8'))
  // Mounts the test node over `/proc/1`, because the agent reads the node's namespace there.
  const inNode = 'mount --bind "/proc/$0" /proc/1 && exec "$1"'
  const holder = stack.use(holding(target))
  const agent = await node.start({
    file: ['unshare', '--mount', 'sh', '-c', inNode, String(holder.pid), AGENT],
  })
  const inPods = mode === 'ambient'
  const ztunnel = inPods ? stack.use(startZtunnel({ path: node.path('ztunnel.sock') })) : undefined
  const everything = stack.move()
  return {
    agent,
    ready: async () => (await agent.ready()) && ztunnel?.ready !== false,
    log: () => agent.log().replaceAll('\\"', '"'),
    read: node.read,
    plugin: () =>
      kubeClient(
        serviceAccountAccess({ server: kube.url, caFile: kube.caFile, tokenFile: node.path('run/istio-cni-token') }),
      ),
    status: async () => (await node.command('status', `--health-port=${agent.port}`)).stdout,
    async add(name, { alone = false } = {}) {
      const { plugins } = JSON.parse(node.read('net/10-calico.conflist'))
      const conf = { ...plugins.at(-1), ...(alone ? { agent: 'never' } : {}) }
      return await called(conf, { name, netns: pod.path })
    },
    writeList: (list) => node.write('net/10-calico.conflist', list),
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}

/** Returns the API path of the collection that contains an object. */
export function pathOf({ apiVersion, kind, metadata: { namespace } }: Manifest): string {
  const group = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const plural = `${kind.toLowerCase()}s`.replace(/ys$/, 'ies')
  return `${group}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${plural}`
}

/** Creates an object in the API server. */
export const create = (kube: KubeServer, document: Manifest): Promise<unknown> =>
  kube.admin.send(
    { method: 'POST', path: pathOf(document), body: { type: 'application/json', document } },
    { signal: AbortSignal.timeout(10_000) },
  )

/** Creates the objects that our agent needs in the API server before its start: namespaces and the Node. */
export async function prepare(kube: KubeServer): Promise<void> {
  for (const name of [NAMESPACE, 'demo']) {
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

/** Lists the Kubernetes events in a namespace, as `reason: message`. */
export async function eventsIn(kube: KubeServer, namespace: string): Promise<string[]> {
  const answer = await kube.admin.get(`/api/v1/namespaces/${namespace}/events`, { signal: AbortSignal.timeout(5000) })
  const items = isObject(answer) && Array.isArray(answer.items) ? answer.items : []
  return items.map(({ reason, message }) => `${reason}: ${message}`)
}

// internal

async function forgetEvents(kube: KubeServer): Promise<void> {
  for (const namespace of [NAMESPACE, 'demo']) {
    await kube.admin.send(
      { method: 'DELETE', path: `/api/v1/namespaces/${namespace}/events` },
      { signal: AbortSignal.timeout(10_000) },
    )
  }
}

/** Starts a process in a network namespace, to keep the namespace visible in procfs. Disposing ends the process. */
function holding(target: Netns): Disposable & { readonly pid: number | undefined } {
  const child = spawn('nsenter', [`--net=${target.path}`, 'sleep', '3600'], { stdio: 'ignore' })
  return { pid: child.pid, [Symbol.dispose]: () => void child.kill('SIGKILL') }
}

async function called(conf: object, pod: { readonly name: string; readonly netns: string }): Promise<string> {
  const { stdout, stderr } = await startPlugin(conf, pod).called
  return (stderr + stdout).replaceAll('\\"', '"')
}

async function tokenOf(kube: KubeServer, account: string): Promise<string> {
  const answer = await kube.admin.send(
    {
      method: 'POST',
      path: `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/${account}/token`,
      body: { type: 'application/json', document: { spec: { expirationSeconds: 3600 } } },
    },
    { signal: AbortSignal.timeout(5000) },
  )
  return isObject(answer) && isObject(answer.status) ? String(answer.status.token) : ''
}

async function remove(kube: KubeServer, object: Manifest): Promise<void> {
  const path = `${pathOf(object)}/${object.metadata.name}`
  // Requests background deletion, because the test's API server has no garbage collector.
  const document = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' }
  await kube.admin
    .send(
      { method: 'DELETE', path, body: { type: 'application/json', document } },
      { signal: AbortSignal.timeout(10_000) },
    )
    .catch((error: unknown) => {
      if (!isKubeError(error) || error.status !== 404) throw error
    })
}
