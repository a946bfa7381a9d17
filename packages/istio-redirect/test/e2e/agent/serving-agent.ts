import { repairGrants } from '../../../src/testing/grants.ts'
import { meshPod, plainPod } from '../../../src/testing/pods.ts'
import { AGENT, ask, eventually, freePort } from '../../stage/agent-node.ts'
import { onNode } from '../../stage/pods.ts'
import { stage } from '../../stage/stage.ts'

/** Creates the Kubernetes pod `demo/<name>` on node `n1`, inside or outside the mesh. */
export const podOf = (name: string, { uid, isMesh = true }: { readonly uid: string; readonly isMesh?: boolean }) =>
  onNode((isMesh ? meshPod : plainPod)({ name, namespace: 'demo' }), uid)

/** Test node whose agent serves the plugin's calls, and the API server with the pods. */
export type Serving = Awaited<ReturnType<typeof serving>>

/** Starts an agent on node `n1` that watches pods and serves the plugin's calls. */
export const serving = (argv: readonly [string, ...string[]] = [AGENT], env: Record<string, string> = {}) =>
  stage({ agent: { env }, api: { grants: repairGrants.repair, token: 'se.cr.et' } }, async ({ agents: node, api }) => {
    const monitoring = await freePort()
    const start = (options: { readonly atOnce?: boolean } = {}) =>
      node.start({ file: argv, env: { MONITORING_PORT: String(monitoring) }, ...options })
    const agent = await start()
    await eventually(agent.ready, agent.log)
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
    }
  })
