import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { netns } from '@cni/netns'
import type { Conflist } from '@cni/types'
import { meshPod } from '@cni-examples/istio-redirect/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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

  it('starts pods without it again once install-cni has been told to end', async () => {
    await stopAgent()
    expect(agent.exitCode).toBe(0)
    await untilChain('bridge', 'portmap')
    expect(await rulesOfNext('after-uninstall')).not.toContain('ISTIO_')
    expect(stage.leases()).toEqual([])
  })
})
