import { type FSWatcher, watch } from 'node:fs'
import { type AgentProcess, eventually } from '../e2e/agent-node.ts'
import { type Release, stop, type UpgradeNode } from './upgrade-node.ts'

/** The folders that an agent writes. */
const FOLDERS = ['bin', 'net', 'run'] as const
/** Files of plugins in these folders. */
const PLUGINS = /^run\/(?:attachments|istio-cni\.log)/

/** Calls `seen` for each change of a file. Names of temporary files are normalized. */
function watchSteps(node: UpgradeNode, seen: (step: string) => void): Disposable {
  const watchers: FSWatcher[] = FOLDERS.map((folder) =>
    watch(node.files.path(folder), (kind, name) => {
      const step = `${folder}/${name?.replace(/[-.][\da-z]+\.tmp$/, '.*.tmp')} ${kind}`
      // A rename shows that a file was replaced.
      const isNew = kind === 'rename' || name?.endsWith('.tmp')
      if (isNew && !PLUGINS.test(step)) seen(step)
    }),
  )
  return {
    [Symbol.dispose]() {
      for (const watcher of watchers) watcher.close()
    },
  }
}

/** The first occurrences of all file changes while the agent of a release takes over, in order. */
export async function stepsOf(node: UpgradeNode, release: Release): Promise<string[]> {
  const steps = new Set<string>()
  using _ = watchSteps(node, (step) => steps.add(step))
  const agent = await node.start(release)
  await stop(agent)
  return [...steps]
}

/** Starts the agent of a release and kills it at a step. Returns `false` if it becomes ready without that step. */
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
  // Some steps happen by chance only: the agent may become ready without them.
  await eventually(
    async () => isReached || (await isReady(agent)),
    () => `${step}: ${agent.log()}`,
    30_000,
  )
  agent.kill('SIGKILL')
  await agent.exit
  return isReached
}

/** True if the agent is ready. An agent that does not listen yet is not ready. */
const isReady = (agent: AgentProcess): Promise<boolean> =>
  /health checks on port/.test(agent.log()) ? agent.ready() : Promise.resolve(false)
