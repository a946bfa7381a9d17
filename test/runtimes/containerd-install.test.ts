import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from '@cni/host'
import { netns } from '@cni/netns'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import * as z from 'zod/mini'
import { meshPod } from '../../packages/istio-redirect/src/testing/pods.ts'
import { COMPILED } from '../../packages/istio-redirect/test/stage/executables.ts'
import { rulesIn } from '../../packages/istio-redirect/test/stage/rules.ts'
import { startContainerd } from './node/containerd.ts'
import { type Kubelet, kubelet } from './node/kubelet.ts'
import { type Stage, setStage } from './node/stage.ts'
import { folderFor } from './node/throw-away.ts'

const INSTALL_CNI = fileURLToPath(new URL('../../dist/bin/install-cni', import.meta.url))
const FIRST = { first: 'ptp', families: 'IPv4' } as const
const SECOND = { first: 'bridge', families: 'IPv4' } as const

const stack = new AsyncDisposableStack()
let stage: Stage
let node: Kubelet
let agent: ChildProcess
let agentEnv: Record<string, string>
let agentLog = ''

beforeAll(async () => {
  stage = stack.use(await setStage(FIRST))
  rmSync(join(stage.binDir, 'istio-cni'))
  stage.forget()
  stage.use(FIRST, [])
  const containerd = stack.use(await startContainerd(stage))
  node = kubelet(containerd.cri)
  stack.defer(() => node.drain())
  agentEnv = environment(containerd.socket)
  agent = startAgent()
  stack.defer(stopAgent)
})
afterAll(() => stack.disposeAsync())

/** The environment of the node agent as in its DaemonSet, with the folders of this node. */
function environment(criSocket: string): Record<string, string> {
  const source = folderFor('source')
  copyFileSync(COMPILED, join(source, 'istio-cni'))
  const { hostname, port } = new URL(stage.api.url)
  return {
    PATH: process.env.PATH ?? '',
    MOUNTED_CNI_NET_DIR: stage.confDir,
    MOUNTED_CNI_BIN_DIRS: stage.binDir,
    CNI_BIN_SOURCE_DIR: source,
    CNI_AGENT_RUN_DIR: stage.runDir,
    SERVICE_ACCOUNT_DIR: stage.path('sa'),
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
    REPAIR_ENABLED: 'false',
    CRI_SOCKET: criSocket,
  }
}

function startAgent(): ChildProcess {
  const child = spawn(INSTALL_CNI, [], { env: agentEnv, stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      agentLog += text
    })
  }
  return child
}

async function stopAgent(): Promise<void> {
  if (agent.exitCode !== null || agent.signalCode !== null) return
  const exit = once(agent, 'exit')
  agent.kill('SIGTERM')
  await exit
}

/** Waits until containerd uses a chain of these plugin types. */
const untilChain = async (...types: readonly string[]): Promise<void> => {
  const plugins = types.map((type) => expect.objectContaining({ type }))
  await node.untilLoaded(expect.objectContaining({ plugins })).catch((cause: unknown) => {
    throw new Error(`containerd does not use ${types.join()}; install-cni said:\n${agentLog}`, { cause })
  })
}

/** Starts a mesh pod, returns its rules, and stops it. */
const rulesOfNext = async (name: string): Promise<string> => {
  const stored = meshPod({ name })
  stage.api.setPod(stored)
  const pod = await node.run(stored.metadata)
  using namespace = netns.open(pod.netns)
  const rules = await rulesIn(namespace)
  await pod.stop()
  await pod.remove()
  return rules
}

/** The result of the runtime check of `install-cni status`. */
async function runtimeCheck(): Promise<unknown> {
  const { stdout } = await run([INSTALL_CNI, 'status', '--json'], { env: agentEnv, reject: false })
  const { checks } = z.parse(statusSchema, JSON.parse(stdout))
  return checks.find(({ name }) => name === 'runtime')
}

const statusSchema = z.object({ checks: z.array(z.looseObject({ name: z.string() })) })

/** The body of an answer of the agent's servers. */
const get = async (port: number, path: string): Promise<string> =>
  (await fetch(`http://127.0.0.1:${port}${path}`)).text()

/** The number of times that the agent has restored our entry. */
const heals = (): number => agentLog.split('healed ').length - 1

const isHealed = (): boolean =>
  readdirSync(stage.confDir).some((name) => readFileSync(join(stage.confDir, name), 'utf8').includes('istio-cni'))

/** Starts a tool that rewrites its network once a second, and sometimes ten times in a row. */
function rewriteNetwork(): { count(): number; stop(): void } {
  let count = 0
  let burst = 0
  const timer = setInterval(() => {
    burst = (burst + 1) % 50
    if (burst > 10 && burst % 10 !== 0) return
    count += 1
    stage.use(SECOND, [])
  }, 100)
  return { count: () => count, stop: () => clearInterval(timer) }
}

describe('a node on which install-cni runs', () => {
  it('sends its first pod through the plugin', async () => {
    await untilChain('ptp', 'portmap', 'istio-cni')
    expect(await rulesOfNext('after-install')).toContain('-A OUTPUT -j ISTIO_OUTPUT')
  })

  it('sends the next pod through the plugin after another program rewrote the network without it', async () => {
    stage.use(SECOND, [])
    await untilChain('bridge', 'portmap', 'istio-cni')
    expect(await rulesOfNext('after-heal')).toContain('-A OUTPUT -j ISTIO_OUTPUT')
  })

  it('status has containerd’s report that it runs the plugin', async () => {
    expect(await runtimeCheck()).toMatchObject({ state: 'ok', detail: 'containerd runs the plugin in network "pods"' })
    await vi.waitFor(
      async () => expect(await get(15014, '/metrics')).toContain('istio_cni_runtime_plugin{state="loaded"} 1'),
      {
        timeout: 20_000,
      },
    )
  })

  it('status has containerd’s report that it runs without the plugin, and the reason, while an earlier file is broken', async () => {
    const broken = join(stage.confDir, '05-broken.conf')
    writeFileSync(broken, 'broken')
    const words =
      /^installed, but containerd runs without it: .*05-broken\.conf: error parsing configuration: invalid character 'b'/
    try {
      await vi.waitFor(
        async () => expect(await runtimeCheck()).toMatchObject({ state: 'fail', detail: expect.stringMatching(words) }),
        { timeout: 10_000 },
      )
      await vi.waitFor(async () => expect(await get(8000, '/readyz?verbose')).toContain('Service Unavailable'), {
        timeout: 30_000,
      })
      expect(await get(15014, '/metrics')).toContain('istio_cni_runtime_plugin{state="missing"} 1')
    } finally {
      rmSync(broken)
    }
    await untilChain('bridge', 'portmap', 'istio-cni')
    expect(await runtimeCheck()).toMatchObject({ state: 'ok' })
    await vi.waitFor(async () => expect(await get(8000, '/readyz')).toBe(''), { timeout: 30_000 })
  })

  it('sends every pod through the plugin while another tool keeps rewriting its network, once the network is healed', async () => {
    const seconds = Number(process.env.CNI_REWRITE_SECONDS ?? 20)
    const healsBefore = heals()
    const rewriter = rewriteNetwork()
    const start = performance.now()
    const pods = { through: 0, without: 0, during: 0 }
    try {
      for (let count = 0; performance.now() - start < seconds * 1000; count += 1) {
        let rewrites = -1
        await vi.waitFor(() => {
          if (!isHealed()) throw new Error(`not healed: ${agentLog}`)
          rewrites = rewriter.count()
        })
        await untilChain('bridge', 'portmap', 'istio-cni')
        const rules = await rulesOfNext(`while-rewritten-${count}`)
        // // a pod that starts during a rewrite does not count
        if (rewriter.count() !== rewrites) pods.during += 1
        else if (rules.includes('-A OUTPUT -j ISTIO_OUTPUT')) pods.through += 1
        else pods.without += 1
      }
    } finally {
      rewriter.stop()
    }
    const took = (performance.now() - start) / 1000
    const healed = heals() - healsBefore
    process.stderr.write(`${JSON.stringify({ ...pods, rewrites: rewriter.count(), healed, took: Math.round(took) })}\n`)
    expect(pods.without).toBe(0)
    expect(pods.through).toBeGreaterThan(seconds / 4)
    expect(healed).toBeGreaterThan(seconds / 4)
    expect(healed).toBeLessThanOrEqual(5 * took + 1)
    await untilChain('bridge', 'portmap', 'istio-cni')
  }, 120_000)

  it('starts pods without the plugin once install-cni has ended', async () => {
    await stopAgent()
    expect(agent.exitCode).toBe(0)
    await untilChain('bridge', 'portmap')
    expect(await rulesOfNext('after-uninstall')).not.toContain('ISTIO_')
    expect(stage.leases()).toEqual([])
  })
})
