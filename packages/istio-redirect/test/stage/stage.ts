import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ApiServer, type ApiServerOptions, startApiServer } from '@cni/kube/testing'
import type { Netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import type { AgentNode, AgentNodeOptions } from './agent-node.ts'
import { podBridge, prepareKernel } from './kernel.ts'

/** Parts of a simulated node that a test needs. Other parts are not started. */
interface StageOptions<Z> {
  /** Starts an API server, optionally in the node's network namespace (`inNode`), with service account files. */
  readonly api?: Omit<ApiServerOptions, 'netns'> & { readonly inNode?: boolean }
  /** Creates the network namespace of the simulated node. `lo` are addresses of its interface `lo`. */
  readonly kernel?: { readonly lo?: readonly string[] }
  /** Connects the pods that the function `pod` creates to a bridge on the node. Its addresses are their gateways. */
  readonly pods?: { readonly bridge: readonly string[] }
  /** Creates the files of a compiled agent. */
  readonly agent?: AgentNodeOptions
  /** Starts one ztunnel, or a stand-in for it. The function gets the path of the agent's socket. */
  readonly ztunnel?: (socket: { readonly path: string }) => Z
}

/** Running simulated node. Reading a part that the test's options do not ask for throws. */
export interface Stage<Z = unknown> {
  readonly root: string
  /** Returns the path of a file below the simulated node's folder. */
  path(...parts: string[]): string
  /** Resources that are disposed together with the simulated node. */
  readonly stack: AsyncDisposableStack
  readonly api: ApiServer
  readonly account: ReturnType<typeof writeAccount>
  /** Network namespace of the simulated node. */
  readonly node: Netns
  readonly agents: AgentNode
  /** Creates the network namespace of a pod, and connects it to the bridge if there is one. */
  pod(...addresses: readonly string[]): Promise<Netns>
  /** Path of the agent's socket, to which ztunnels connect. */
  readonly ztunnelSocket: string
  /** Starts a ztunnel by the option `ztunnel`. A test may start several. */
  ztunnel(): Z
}

/**
 * Starts the parts of a simulated node that a test asks for.
 *
 * @example
 * await using it = await stage({ api: { pods: [meshPod()] } }, ({ api, path }) => ({ api, runDir: path('run') }))
 */
export async function stage<T extends object, Z extends Disposable | AsyncDisposable>(
  options: StageOptions<Z>,
  play: (it: Stage<Z>) => T | Promise<T>,
): Promise<T & AsyncDisposable> {
  await using starting = new AsyncDisposableStack()
  // Imports on demand, because the import needs the compiled agent.
  const agents = options.agent && starting.use((await import('./agent-node.ts')).agentNode(options.agent))
  const root = agents?.path() ?? starting.use(mkdtempDisposableSync(join(tmpdir(), 'cni-stage-'))).path
  const path = (...parts: string[]): string => join(root, ...parts)
  const node = options.kernel && starting.use(await tempNetns())
  if (node !== undefined) await prepareKernel(node, options.kernel?.lo)
  const { inNode = false, ...apiOptions } = options.api ?? {}
  const served = inNode && node !== undefined ? { ...apiOptions, netns: node } : apiOptions
  const api = options.api && starting.use(await startApiServer(served))
  const account = api && writeAccount(api, path('sa'), agents)
  if (options.pods !== undefined && node === undefined) throw new Error('a bridge needs a node')
  const connect = options.pods && node && (await podBridge(node, options.pods.bridge))
  const inner = starting.use(new AsyncDisposableStack())
  const pod = async (...addresses: readonly string[]): Promise<Netns> => {
    const made = inner.use(await tempNetns())
    await connect?.(made, addresses)
    return made
  }
  const ztunnelSocket = agents?.env.ZTUNNEL_UDS_ADDRESS ?? path('ztunnel.sock')
  const built = await play({
    root,
    path,
    stack: inner,
    pod,
    ztunnelSocket,
    ztunnel: () => inner.use(started('ztunnel', options.ztunnel)({ path: ztunnelSocket })),
    get api() {
      return started('api', api)
    },
    get account() {
      return started('api', account)
    },
    get node() {
      return started('kernel', node)
    },
    get agents() {
      return started('agent', agents)
    },
  })
  const stack = starting.move()
  return Object.assign(built, { [Symbol.asyncDispose]: () => stack.disposeAsync() })
}

/** Writes the token and certificate files of a service account, for access of the agent's parts to the API server. */
export function writeAccount(api: ApiServer, folder: string, agents?: AgentNode) {
  mkdirSync(folder, { recursive: true })
  const [tokenFile, caFile] = [join(folder, 'token'), join(folder, 'ca.crt')]
  writeFileSync(tokenFile, `${api.token}\n`)
  writeFileSync(caFile, api.ca)
  const { hostname, port } = new URL(api.url)
  if (agents !== undefined) {
    const reached = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port }
    Object.assign(agents.env, { NODE_NAME: 'n1', ...agents.env, ...reached })
  }
  return { server: api.url, tokenFile, caFile, namespace: 'istio-system' }
}

function started<T>(option: keyof StageOptions<unknown>, part: T | undefined): T {
  if (part === undefined) throw new Error(`the stage was started without the option ${option}`)
  return part
}
