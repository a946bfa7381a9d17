import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Node } from '@cni/istio-redirect/testing/node'
import { cpuMs } from '../../../packages/istio-redirect/test/stage/agent-node.ts'
import { until } from '../until.ts'
import { folderAgent } from './folder-agent.ts'
import { NODE } from './measured-agents.ts'

/** The compiled node agent, running and ready to serve plugin calls. */
export interface ServingAgent extends AsyncDisposable {
  /** CPU time in milliseconds that the agent has used since its start, in steps of 10. */
  cpuMs(): number
}

/** Starts the agent and waits until it watches the node's pods. */
export async function startServingAgent(file: string, node: Node, folder: string): Promise<ServingAgent> {
  const env = { CNI_AGENT_RUN_DIR: node.runDir, NODE_NAME: NODE, REPAIR_ENABLED: 'false' }
  const agent = folderAgent(file, node.api, join(folder, 'agent'), env)
  await using starting = new AsyncDisposableStack()
  starting.defer(agent.stop)
  const child = agent.start()
  const serves = () => {
    if (child.exitCode !== null) throw new Error(`${file} ended with ${child.exitCode}`)
    return existsSync(join(node.runDir, 'serve.sock')) && node.api.watches() > 0
  }
  await until(serves, `${file} serves`)
  const started = starting.move()
  return { cpuMs: () => cpuMs(child.pid ?? 0), [Symbol.asyncDispose]: () => started.disposeAsync() }
}
