import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { meshPod } from '@cni/istio-redirect/testing'
import { netns } from '@cni/netns'
import type { Conflist } from '@cni/types'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { COMPILED } from '../e2e/executables.ts'
import { startContainerd } from './node/containerd.ts'
import { type Kubelet, kubelet } from './node/kubelet.ts'
import { rulesIn, type Stage, setStage } from './node/stage.ts'
import { folderFor } from './node/throw-away.ts'

const INSTALL_CNI = fileURLToPath(new URL('../../../../dist/bin/install-cni', import.meta.url))
const FIRST = { first: 'ptp', families: 'IPv4' } as const
const SECOND = { first: 'bridge', families: 'IPv4' } as const

const stack = new AsyncDisposableStack()
let stage: Stage
let node: Kubelet
let agent: ChildProcess
let agentLog = ''

beforeAll(async () => {
  stage = stack.use(await setStage(FIRST))
  rmSync(join(stage.binDir, 'istio-cni'))
  stage.forget()
  stage.use(FIRST, [])
  const containerd = stack.use(await startContainerd(stage))
  node = kubelet(containerd.cri)
  stack.defer(() => node.drain())
  agent = startAgent()
  stack.defer(stopAgent)
})
afterAll(() => stack.disposeAsync())

/** The node agent as its DaemonSet starts it, with the folders of this node. */
function startAgent(): ChildProcess {
  const [source, account] = [folderFor('source'), folderFor('account')]
  copyFileSync(COMPILED, join(source, 'istio-cni'))
  writeFileSync(join(account, 'token'), stage.api.token)
  writeFileSync(join(account, 'ca.crt'), stage.api.ca)
  const { hostname, port } = new URL(stage.api.url)
  const child = spawn(INSTALL_CNI, [], {
    env: {
      PATH: process.env.PATH,
      MOUNTED_CNI_NET_DIR: stage.confDir,
      MOUNTED_CNI_BIN_DIRS: stage.binDir,
      CNI_BIN_SOURCE_DIR: source,
      CNI_AGENT_RUN_DIR: stage.runDir,
      SERVICE_ACCOUNT_DIR: account,
      KUBERNETES_SERVICE_HOST: hostname,
      KUBERNETES_SERVICE_PORT: port,
      REPAIR_ENABLED: 'false',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
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

/** The chain containerd uses from now on, and whether ours is in it. */
const untilChain = async (...types: readonly string[]): Promise<void> => {
  const isWanted = ({ plugins }: Conflist): boolean => plugins.map(({ type }) => type).join() === types.join()
  await node.untilLoaded(isWanted).catch((cause: unknown) => {
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

/** How often the agent has put our entry back. */
const heals = (): number => agentLog.split('healed ').length - 1

const isHealed = (): boolean =>
  readdirSync(stage.confDir).some((name) => readFileSync(join(stage.confDir, name), 'utf8').includes('istio-cni'))

/** A tool that is sure of its own network: once a second it writes it, and now and then ten times in a row. */
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

  it('sends the next pod through the plugin after somebody rewrote the network without it', async () => {
    stage.use(SECOND, [])
    await untilChain('bridge', 'portmap', 'istio-cni')
    expect(await rulesOfNext('after-heal')).toContain('-A OUTPUT -j ISTIO_OUTPUT')
  })

  it('sends every pod through the plugin while another tool goes on rewriting its network, once that is healed', async () => {
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
        // a pod that begins while its network is another one says nothing
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

  it('starts pods without it again once install-cni has been told to end', async () => {
    await stopAgent()
    expect(agent.exitCode).toBe(0)
    await untilChain('bridge', 'portmap')
    expect(await rulesOfNext('after-uninstall')).not.toContain('ISTIO_')
    expect(stage.leases()).toEqual([])
  })
})
