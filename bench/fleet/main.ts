/** Runs the agents of many nodes against one API server and measures its load. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startKubeServer } from '../../packages/kube/test/kube-server.ts'
import { root } from '../lib/compiled.ts'
import { type FleetAgent, type FleetServer, watchingClient, wholeAgent } from './agents.ts'
import { auditPolicy } from './audit-policy.ts'
import { fleetMarkdown } from './markdown.ts'
import { makeNodes, USER } from './nodes.ts'
import { phases } from './phases.ts'

const { values } = parseArgs({
  options: {
    apiserver: { type: 'string', default: '' },
    etcd: { type: 'string', default: '' },
    nodes: { type: 'string', default: '300' },
    agents: { type: 'string', default: '20' },
    pods: { type: 'string', default: '100' },
    'rest-minutes': { type: 'string', default: '10' },
    json: { type: 'string' },
  },
})
const [nodes, whole, pods] = [Number(values.nodes), Number(values.agents), Number(values.pods)]
const restSeconds = Number(values['rest-minutes']) * 60
const FIVE_MINUTES = 300

const folder = mkdtempSync(join(tmpdir(), 'cni-fleet-'))
const [policy, auditLog] = [join(folder, 'policy.json'), join(folder, 'audit.log')]
writeFileSync(policy, auditPolicy(USER))
writeFileSync(auditLog, '')
try {
  await using kube = await startKubeServer({
    apiserver: values.apiserver,
    etcd: values.etcd,
    users: [USER],
    groups: ['system:serviceaccounts', 'system:serviceaccounts:istio-system', 'system:authenticated'],
    flags: [`--audit-policy-file=${policy}`, `--audit-log-path=${auditLog}`],
  })
  const rights = ['list pods', 'watch pods', 'get daemonsets', 'create events', 'patch events'] as const
  const more = ['create serviceaccounts/token', 'patch pods/status'] as const
  const tokenFile = await kube.allow(USER, [...rights, ...more])
  process.stderr.write(`  ${nodes * pods} pods\n`)
  await makeNodes(kube.admin, nodes, pods)
  const server: FleetServer = { url: kube.url, caFile: kube.caFile, tokenFile }
  const install = join(root, 'dist/bin/install-cni')
  const agents = Array.from({ length: nodes }, (_, index) =>
    index < whole ? wholeAgent(install, index, server, folder) : watchingClient(index, server),
  )
  await using stack = new AsyncDisposableStack()
  stack.defer(async () => void (await Promise.all(agents.map((agent) => agent.stop()))))
  const { measure, all } = phases(kube, auditLog)
  await measure('without agents', 60)
  await measure('all start at once', 60, async () => {
    for (const agent of agents) agent.start()
  })
  await measure('at rest', restSeconds)
  await measure('rolling update, a tenth at a time', 30, () => rollingUpdate(agents))
  await measure('five minutes after an outage of 20 s', FIVE_MINUTES, () => kube.restart(20_000), true)
  const report = { date: new Date().toISOString(), nodes, agents: whole, pods, phases: all }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`)
  process.stdout.write(fleetMarkdown(report))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Replaces all agents by new ones in groups of 10 %, as a DaemonSet with `maxUnavailable: 10%` does. */
async function rollingUpdate(agents: readonly FleetAgent[]): Promise<void> {
  const size = Math.ceil(agents.length / 10)
  for (let from = 0; from < agents.length; from += size) {
    const some = agents.slice(from, from + size)
    await Promise.all(some.map((agent) => agent.stop()))
    for (const agent of some) agent.start()
    await new Promise((resolve) => setTimeout(resolve, 2000))
  }
}
