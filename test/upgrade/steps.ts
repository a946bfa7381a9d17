import { watch } from 'node:fs'
import { type AgentProcess, eventually } from '../../packages/istio-redirect/test/stage/agent-node.ts'
import { type Release, stop, type UpgradeNode } from './upgrade-node.ts'

/** Folders of the test node to which an agent writes files. */
const FOLDERS = ['bin', 'net', 'run'] as const
/** Files that the plugin writes to the agent's folders. The test ignores these files. */
const PLUGINS = /^run\/(?:attachments|istio-cni\.log)/

/** Watches the agent's folders and calls `seen` for each file change. Names of temporary files are normalized. */
function watchSteps(node: UpgradeNode, seen: (step: string) => void): Disposable {
  const watchers = new DisposableStack()
  for (const folder of FOLDERS) {
    const watcher = watch(node.files.path(folder), (kind, name) => {
      const step = `${folder}/${name?.replace(/[-.][\da-z]+\.tmp$/, '.*.tmp')} ${kind}`
      // A rename event means that the agent has replaced a file.
      const isNew = kind === 'rename' || name?.endsWith('.tmp')
      if (isNew && !PLUGINS.test(step)) seen(step)
    })
    watchers.defer(() => watcher.close())
  }
  return watchers
}

/** Starts the agent of a release. Returns the distinct file changes in order of first occurrence. */
export async function stepsOf(node: UpgradeNode, release: Release): Promise<string[]> {
  const steps = new Set<string>()
  using _ = watchSteps(node, (step) => steps.add(step))
  const agent = await node.start(release)
  await stop(agent)
  return [...steps]
}

/** Starts the agent, and kills it when it has changed the file that `step` names. */
export async function killAt(node: UpgradeNode, release: Release, step: string): Promise<boolean> {
  let isReached = false
  const killer: { agent?: AgentProcess } = {}
  using _ = watchSteps(node, (seen) => {
    if (seen !== step || isReached) return
    isReached = true
    killer.agent?.kill('SIGKILL')
  })
  const agent = await node.start(release, { atOnce: true })
  killer.agent = agent
  // Some file changes happen only by chance, so the agent may become ready without them.
  await eventually(
    async () => isReached || (await isReady(agent)),
    () => `${step}: ${agent.log()}`,
    30_000,
  )
  agent.kill('SIGKILL')
  await agent.exit
  return isReached
}

/** True if the agent is ready. False if its health server does not listen yet. */
const isReady = (agent: AgentProcess): Promise<boolean> =>
  /health checks on port/.test(agent.log()) ? agent.ready() : Promise.resolve(false)
