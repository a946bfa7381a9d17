import { type FSWatcher, watch } from 'node:fs'
import { type AgentProcess, eventually } from '../e2e/agent-node.ts'
import { type Release, stop, type UpgradeNode } from './upgrade-node.ts'

/** The folders that an agent writes. */
const FOLDERS = ['bin', 'net', 'run'] as const
/** What plugins write there. */
const PLUGINS = /^run\/(?:attachments|istio-cni\.log)/

/** Calls back for each thing that becomes of a file; the names of temporary files are made the same. */
function watchSteps(node: UpgradeNode, seen: (step: string) => void): Disposable {
  const watchers: FSWatcher[] = FOLDERS.map((folder) =>
    watch(node.files.path(folder), (kind, name) => {
      const step = `${folder}/${name?.replace(/[-.][\da-z]+\.tmp$/, '.*.tmp')} ${kind}`
      // A file in its place has changed when it was renamed.
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

/** What becomes of files while the agent of a release takes over, each for the first time, in order. */
export async function stepsOf(node: UpgradeNode, release: Release): Promise<string[]> {
  const steps = new Set<string>()
  using _ = watchSteps(node, (step) => steps.add(step))
  const agent = await node.start(release)
  await stop(agent)
  return [...steps]
}

/** Starts the agent of a release and kills it at a step; `false` when it became ready without that step. */
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
  // Some steps are left out by chance: the agent becomes ready.
  await eventually(
    async () => isReached || (await isReady(agent)),
    () => `${step}: ${agent.log()}`,
    30_000,
  )
  agent.kill('SIGKILL')
  await agent.exit
  return isReached
}

/** An agent that has not begun to listen is not ready. */
const isReady = (agent: AgentProcess): Promise<boolean> =>
  /health checks on port/.test(agent.log()) ? agent.ready() : Promise.resolve(false)
