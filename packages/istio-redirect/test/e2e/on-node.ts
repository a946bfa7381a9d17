import type { Netns } from '@cni/netns'
import { AGENT, type AgentNode, type AgentProcess, eventually } from './agent-node.ts'

/**
 * Starts an agent in a node's namespace. It uses its own process as process 1: the machine's process 1 may be unreadable.
 */
export const startOnNode = (agents: AgentNode, node: Pick<Netns, 'path'>, mounts: readonly string[] = []) => {
  const script = ['mount --bind /proc/$$ /proc/1', ...mounts, 'exec "$0"'].join(' && ')
  return agents.start({ file: ['nsenter', `--net=${node.path}`, 'unshare', '--mount', 'sh', '-c', script, AGENT] })
}

/** Waits until ambient mode of an agent is ready. */
export async function ambientReady(starting: Promise<AgentProcess>): Promise<AgentProcess> {
  const agent = await starting
  await eventually(() => agent.log().includes('ambient mode is ready'), agent.log)
  return agent
}
