import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ApiServer, type ApiServerOptions, startApiServer } from '@cni/kube/testing'
import type { Netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { type Account, agentFor, writeAccount } from './agent.ts'
import type { AgentNode } from './agent-node.ts'
import { type Connect, connectPods, type KernelOptions, type PodNetwork, prepareKernel } from './kernel.ts'

/** Parts of a simulated node that a test needs. Other parts are not started. */
export interface StageOptions {
  /** Starts an API server, optionally in the node's network namespace (`inNode`), with service account files. */
  readonly api?: Omit<ApiServerOptions, 'netns'> & { readonly inNode?: boolean }
  /** Creates the network namespace of the simulated node, with the given settings. */
  readonly kernel?: KernelOptions
  /** Network of the pods that the function `pod` creates. */
  readonly pods?: PodNetwork
  /** Adds network configurations (`net`, by file name) and environment variables to the agent's test node. */
  readonly agent?: { readonly net?: Readonly<Record<string, string>>; readonly env?: Readonly<Record<string, string>> }
}

interface Always {
  readonly root: string
  /** Returns the path of a file below the simulated node's folder. */
  path(...parts: string[]): string
  /** Resources that are disposed together with the simulated node. */
  readonly stack: AsyncDisposableStack
}

interface Parts {
  api: { readonly api: ApiServer; readonly account: Account }
  kernel: { readonly node: Netns }
  pods: { pod(...addresses: readonly string[]): Promise<Netns> }
  agent: { readonly agents: AgentNode }
}

type PartOf<O, K extends keyof Parts> = K extends keyof O ? Parts[K] : unknown

/** Running parts of the simulated node: exactly the parts that the test's options ask for. */
export type Stage<O extends StageOptions> = Always &
  PartOf<O, 'api'> &
  PartOf<O, 'kernel'> &
  PartOf<O, 'pods'> &
  PartOf<O, 'agent'>

/**
 * Starts the parts of a simulated node that a test asks for.
 *
 * @example
 * await using it = await stage({ api: { pods: [meshPod()] } }, ({ api, path }) => ({ api, runDir: path('run') }))
 */
export async function stage<O extends StageOptions, T extends object = Stage<O>>(
  options: O,
  // The type assertion is safe: `T` is `Stage<O>` by default, and the default function returns its argument.
  play: (it: Stage<O>) => T | Promise<T> = (it) => it as unknown as T,
): Promise<T & AsyncDisposable> {
  await using starting = new AsyncDisposableStack()
  const agents = options.agent === undefined ? undefined : starting.use(await agentFor(options.agent))
  const root = agents === undefined ? starting.adopt(mkdtempSync(join(tmpdir(), 'cni-stage-')), remove) : agents.path()
  const path = (...parts: string[]): string => join(root, ...parts)
  const node = options.kernel === undefined ? undefined : starting.use(await tempNetns())
  if (node !== undefined) await prepareKernel(node, options.kernel)
  const { inNode = false, ...apiOptions } = options.api ?? {}
  const served = inNode && node !== undefined ? { ...apiOptions, netns: node } : apiOptions
  const api = options.api === undefined ? undefined : starting.use(await startApiServer(served))
  const account = api && writeAccount(api, path('sa'), agents)
  const connect: Connect | undefined = options.pods && (await connectPods(options.pods, node))
  const inner = starting.use(new AsyncDisposableStack())
  const pod = async (...addresses: readonly string[]): Promise<Netns> => {
    const made = inner.use(await tempNetns())
    await connect?.(made, addresses)
    return made
  }
  const all = { root, path, stack: inner, node, api, account, agents, pod }
  // The type assertion is safe because `all` has exactly the parts that the test's options ask for.
  const built = await play(all as unknown as Stage<O>)
  const stack = starting.move()
  return Object.assign(built, { [Symbol.asyncDispose]: () => stack.disposeAsync() })
}

const remove = (folder: string): void => rmSync(folder, { recursive: true, force: true })
