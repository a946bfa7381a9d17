import { rmSync } from 'node:fs'
import type { ApiServer, Grant } from '@cni/kube/testing'
import { expect, test } from 'vitest'
import { repairGrants } from '../../../src/testing/grants.ts'
import { type AgentNode, calico, eventually } from '../../stage/agent-node.ts'
import { stage } from '../../stage/stage.ts'

const NAMESPACE = 'istio-system'
const INSTALLED = ['bin/istio-cni', 'run/istio-cni-kubeconfig']
const GRANTS: readonly Grant[] = [...repairGrants.repair, 'get daemonsets', 'create serviceaccounts/token']

/** A node whose agent is a pod of the DaemonSet, and its API server. */
const cluster = ({ grants = GRANTS, env = {} }: { grants?: readonly Grant[]; env?: Record<string, string> } = {}) =>
  stage(
    { agent: { env: { POD_NAMESPACE: NAMESPACE, ...env } }, api: { grants, token: 'se.cr.et' } },
    ({ agents: node, api }) => {
      const start = async () => {
        const agent = await node.start()
        await eventually(agent.ready, () => agent.log())
        return agent
      }
      const stopped = async () => {
        const agent = await start()
        const began = performance.now()
        agent.kill('SIGTERM')
        expect(await agent.exit).toEqual({ code: 0, signal: null })
        return { log: agent.log(), ms: performance.now() - began }
      }
      return { node, api, start, stopped }
    },
  )

const isInstalled = (node: AgentNode): boolean =>
  node.read('net/10-calico.conflist').includes('istio-cni') && INSTALLED.every((name) => node.names().includes(name))

function expectNothing(node: AgentNode): void {
  expect(node.read('net/10-calico.conflist')).toBe(calico)
  expect(node.names().filter((name) => /^(?:run\/|bin\/istio-cni$)/.test(name))).toEqual([])
}

test('stopped while its DaemonSet exists, it leaves the files that the next agent and pods in between need', async () => {
  await using on = await cluster()
  on.api.setDaemonSet(NAMESPACE, 'istio-cni-node', {})
  const { log, ms } = await on.stopped()
  expect(log).toContain('stopping: the plugin stays on this node: DaemonSet istio-cni-node in namespace istio-system')
  expect(isInstalled(on.node)).toBe(true)
  expect(on.node.names().filter((name) => name.endsWith('.sock'))).toEqual([])
  expect(ms).toBeLessThan(2000)
})

test.concurrent.for<[string, Record<string, string>, readonly Grant[], (api: ApiServer) => void, string]>([
  ['its DaemonSet is deleted', {}, GRANTS, () => {}, 'there is no DaemonSet istio-cni-node'],
  [
    'its DaemonSet is being deleted',
    {},
    GRANTS,
    (api) => api.setDaemonSet(NAMESPACE, 'istio-cni-node', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }),
    'is being deleted',
  ],
  [
    'it may not look at its DaemonSet',
    {},
    repairGrants.repair,
    (api) => api.setDaemonSet(NAMESPACE, 'istio-cni-node', {}),
    'cannot get resource "daemonsets" in API group "apps"',
  ],
  [
    'it is told to clean up at every stop',
    { AMBIENT_DISABLE_SAFE_UPGRADE: 'true' },
    GRANTS,
    (api) => api.setDaemonSet(NAMESPACE, 'istio-cni-node', {}),
    'stopping: the plugin is removed from this node',
  ],
])('stopped when %s, it removes the plugin from the node', async ([, env, grants, prepare, words]) => {
  await using on = await cluster({ env: { PLUGIN_SERVICE_ACCOUNT: '', ...env }, grants })
  prepare(on.api)
  const { log } = await on.stopped()
  expect(log).toContain(words)
  expectNothing(on.node)
})

test.concurrent('a server that never answers delays the end by five seconds, and then the node is cleaned', async () => {
  await using on = await cluster({ env: { SERVE_PLUGIN: 'false' } })
  const agent = await on.start()
  on.api.misbehave(...Array.from({ length: 5 }, () => ({ hang: true })))
  const began = performance.now()
  agent.kill('SIGTERM')
  expect(await agent.exit).toEqual({ code: 0, signal: null })
  const ms = performance.now() - began
  expect(ms).toBeGreaterThan(4500)
  expect(ms).toBeLessThan(8000)
  expect(agent.log()).toContain('no answer within 5 s (it is unknown whether another agent follows)')
  expectNothing(on.node)
})

test('an owned network stays if the DaemonSet cannot be read, as pods cannot start without it', async () => {
  // An agent without a node name does not change the network of this machine.
  const env = { AMBIENT_ENABLED: 'true', ISTIO_OWNED_CNI_CONFIG: 'true', NODE_NAME: '' }
  await using on = await cluster({ env, grants: repairGrants.repair })
  const agent = await on.node.start()
  await eventually(
    () => on.node.names().includes('net/02-istio-cni.conflist'),
    () => agent.log(),
  )
  agent.kill('SIGTERM')
  expect(await agent.exit).toEqual({ code: 0, signal: null })
  expect(on.node.names()).toEqual(expect.arrayContaining(['net/02-istio-cni.conflist', ...INSTALLED]))
})

test('the plugin has a token of its own account, which is removed with the plugin', async () => {
  await using on = await cluster({ env: { PLUGIN_SERVICE_ACCOUNT: 'istio-cni-plugin' } })
  on.api.setServiceAccount(NAMESPACE, 'istio-cni-plugin')
  const agent = await on.start()
  const token = on.node.read('run/istio-cni-token')
  expect(on.node.read('run/istio-cni-kubeconfig')).toContain(`token: ${token}`)
  expect(on.node.read('run/istio-cni-kubeconfig')).not.toContain('se.cr.et')
  const { stdout } = await on.node.command('status', `--health-port=${agent.port}`)
  expect(stdout).toMatch(/ok {4}credential {2}\/\S+istio-cni-token: \d+ s old, valid for \d/)
  agent.kill('SIGTERM')
  await agent.exit
  expectNothing(on.node)
})

test('without the right to create tokens the node is unchanged, and readiness and status name the cause', async () => {
  await using on = await cluster({ env: { PLUGIN_SERVICE_ACCOUNT: 'istio-cni-plugin' }, grants: repairGrants.repair })
  const agent = await on.node.start()
  const right = 'cannot create resource "serviceaccounts/token" in API group "" in the namespace "istio-system"'
  await eventually(
    async () => (await agent.get('/readyz?verbose')).body.includes(right),
    () => agent.log(),
  )
  expect(on.node.read('net/10-calico.conflist')).toBe(calico)
  const { exitCode, stdout } = await on.node.command('status', `--health-port=${agent.port}`)
  expect(exitCode).toBe(1)
  expect(stdout).toContain(right)
  expect(stdout).toContain('the agent may "create" serviceaccounts/token of that name')
})

test('after a power cut the plugin stays in the network until its kubeconfig is there again', async () => {
  await using on = await cluster({ env: { PLUGIN_SERVICE_ACCOUNT: 'istio-cni-plugin', SERVE_PLUGIN: 'false' } })
  on.api.setServiceAccount(NAMESPACE, 'istio-cni-plugin')
  const first = await on.start()
  first.kill('SIGKILL')
  await first.exit
  const installed = on.node.read('net/10-calico.conflist')
  rmSync(on.node.path('run'), { recursive: true })
  on.api.misbehave({ delayMs: 600 })
  const agent = await on.node.start()
  const seen = new Set<string>()
  await eventually(
    async () => {
      seen.add(on.node.read('net/10-calico.conflist'))
      return agent.ready()
    },
    () => agent.log(),
  )
  expect([...seen]).toEqual([installed])
  expect(agent.log()).not.toContain('was taken out')
  expect(isInstalled(on.node)).toBe(true)
})

test('invalid settings cause an event about its pod', async () => {
  const grants: readonly Grant[] = [...GRANTS, 'create events', 'patch events']
  await using on = await cluster({ env: { POD_NAME: 'mesh-agent-x7', POD_UID: 'u-1' }, grants })
  const agent = await on.start()
  await eventually(
    () => on.api.events().length === 1,
    () => agent.log(),
  )
  expect(on.api.events()).toMatchObject([
    {
      involvedObject: { kind: 'Pod', namespace: NAMESPACE, name: 'mesh-agent-x7', uid: 'u-1' },
      reason: 'Misconfigured',
      type: 'Warning',
      message: expect.stringContaining('"mesh-agent-x7" does not begin with istio-cni-node-'),
      source: { component: 'istio-cni-node' },
    },
  ])
  expect((await on.node.command('status', `--health-port=${agent.port}`)).stdout).toContain('power cut')
})
