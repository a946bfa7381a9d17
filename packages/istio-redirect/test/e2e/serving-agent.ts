import { type ApiServer, startApiServer } from '@cni/kube/testing'
import { repairGrants } from '../../src/testing/grants.ts'
import { meshPod, plainPod } from '../../src/testing/pods.ts'
import { onNode } from '../pods-fixture.ts'
import { AGENT, type AgentNode, type AgentProcess, agentNode, ask, eventually, freePort } from './agent-node.ts'

/** The pod `demo/<name>` on node `n1`, in the mesh or not. */
export const podOf = (name: string, { uid, isMesh = true }: { readonly uid: string; readonly isMesh?: boolean }) => {
  const pod = onNode((isMesh ? meshPod : plainPod)({ name, namespace: 'demo' }))
  return { ...pod, metadata: { ...pod.metadata, uid } }
}

/** An agent that serves, and the API server of its pods. */
export interface Serving extends AsyncDisposable {
  readonly node: AgentNode
  readonly api: ApiServer
  readonly agent: AgentProcess
  readonly socket: string
  start(options?: { readonly atOnce?: boolean }): Promise<AgentProcess>
  metrics(): Promise<string>
  gets(): number
}

/** An agent on node `n1` that serves, and watches pods. */
export async function serving(
  argv: readonly [string, ...string[]] = [AGENT],
  env: Record<string, string> = {},
): Promise<Serving> {
  const node = agentNode()
  const api = await startApiServer({ grants: repairGrants.repair, token: 'se.cr.et' })
  node.write('sa/ca.crt', api.ca)
  const { hostname, port } = new URL(api.url)
  const monitoring = await freePort()
  Object.assign(node.env, { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port, NODE_NAME: 'n1', ...env })
  const start = (options = {}) => node.start({ file: argv, env: { MONITORING_PORT: String(monitoring) }, ...options })
  const agent = await start()
  await eventually(agent.ready, () => agent.log())
  node.env.HEALTH_PORT = String(agent.port)
  if (env.SERVE_PLUGIN !== 'false') {
    await eventually(
      () => node.names().includes('run/serve.sock') && (env.NODE_NAME === '' || api.watches() === 1),
      () => `it serves: ${agent.log()}`,
    )
  }
  return {
    node,
    api,
    agent,
    start,
    socket: node.path('run/serve.sock'),
    metrics: async () => (await ask({ port: monitoring, path: '/metrics' })).body,
    gets: () => api.requests.filter(({ url }) => /\/pods\/[^/]+$/.test(url)).length,
    async [Symbol.asyncDispose]() {
      await node[Symbol.asyncDispose]()
      await api.close()
    },
  }
}
