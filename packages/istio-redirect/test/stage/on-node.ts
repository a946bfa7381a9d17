import type { Netns } from '@cni/netns'
import { AGENT, type AgentNode, type AgentProcess, eventually } from './agent-node.ts'

/** Starts an agent in the test node. Replaces `/proc/1`, which may be unreadable. */
export const startOnNode = (agents: AgentNode, node: Pick<Netns, 'path'>, mounts: readonly string[] = []) => {
  const script = ['mount --bind /proc/$$ /proc/1', ...mounts, 'exec "$0"'].join(' && ')
  return agents.start({ file: ['nsenter', `--net=${node.path}`, 'unshare', '--mount', 'sh', '-c', script, AGENT] })
}

/** Waits until an agent's ambient mode is ready. */
export async function ambientReady(starting: Promise<AgentProcess>): Promise<AgentProcess> {
  const agent = await starting
  await eventually(() => agent.log().includes('ambient mode is ready'), agent.log)
  return agent
}
