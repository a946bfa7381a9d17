import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ApiServer } from '@cni/kube/testing'
import type { AgentNode } from './agent-node.ts'

/** Access of the agent's components to the test's API server. */
export interface Account {
  readonly server: string
  readonly tokenFile: string
  readonly caFile: string
  readonly namespace: string
}

interface AgentOptions {
  readonly net?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
}

/** Creates files for a compiled agent. Imports on demand, because the import needs the executable. */
export async function agentFor({ net, env = {} }: AgentOptions): Promise<AgentNode> {
  const { agentNode } = await import('./agent-node.ts')
  const agents = agentNode(net)
  Object.assign(agents.env, env)
  return agents
}

/** Writes the token and certificate files of a service account. */
export function writeAccount(api: ApiServer, folder: string, agents?: AgentNode): Account {
  mkdirSync(folder, { recursive: true })
  const [tokenFile, caFile] = [join(folder, 'token'), join(folder, 'ca.crt')]
  writeFileSync(tokenFile, `${api.token}\n`)
  writeFileSync(caFile, api.ca)
  const { hostname, port } = new URL(api.url)
  if (agents !== undefined) {
    const reached = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port }
    Object.assign(agents.env, { NODE_NAME: 'n1', ...agents.env, ...reached })
  }
  return { server: api.url, tokenFile, caFile, namespace: 'istio-system' }
}
