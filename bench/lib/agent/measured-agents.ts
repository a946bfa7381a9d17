import { join } from 'node:path'
import { root } from '../compiled.ts'
import { peer } from '../peers.ts'

/** A node agent that is measured: its name, its executable, and the plugin executable that the agent installs. */
export interface Agent {
  readonly name: string
  readonly agent: string
  readonly plugin: string
}

/** Name of the node on which the measured agents and pods run. */
export const NODE = 'bench-node'

/** Our compiled node agent. */
export const ourAgent: Agent = {
  name: 'ours',
  agent: join(root, 'dist/bin/install-cni'),
  plugin: join(root, 'dist/bin/istio-cni'),
}

/** Our node agent and, if its executables are found, Istio's. */
export function measuredAgents(): Agent[] {
  const [agent, plugin] = [peer('install-cni'), peer('istio-cni')]
  return agent === undefined || plugin === undefined ? [ourAgent] : [ourAgent, { name: 'original', agent, plugin }]
}
