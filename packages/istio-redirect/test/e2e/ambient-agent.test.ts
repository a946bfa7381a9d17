import { spawnSync } from 'node:child_process'
import { ambientGrants, plainPod } from '@cni/istio-redirect/testing'
import { startZtunnel } from '@cni/istio-redirect/testing/node'
import { describe, expect, test } from 'vitest'
import { mode } from '../ambient-pods.ts'
import { onNode } from '../pods-fixture.ts'
import { AGENT, type AgentProcess, agentNode, eventually } from './agent-node.ts'
import { RUNTIMES } from './executables.ts'
import { type TestBed, testBed } from './pod.ts'

const uid = '55efbedd-5af0-4fb0-b896-61604f0b0b53'
const selector = `
- podSelector: { matchLabels: { ${mode}: ambient } }
- podSelector: { matchExpressions: [{ key: ${mode}, operator: NotIn, values: [none] }] }
  namespaceSelector: { matchLabels: { ${mode}: ambient } }
`
const web = onNode(plainPod({ name: 'web', namespace: 'demo' }))
const pod = { ...web, metadata: { ...web.metadata, uid } }
const conf = {
  ambient_enabled: true,
  enablement_selectors: [{ podSelector: {}, namespaceSelector: { matchLabels: { [mode]: 'ambient' } } }],
}
const [plugin] = RUNTIMES.map(([, file]) => file)

/** A node with the chain, and compiled agents of it that end with it. */
async function ambientNode() {
  if (plugin === undefined) throw new Error('a plugin')
  const stack = new AsyncDisposableStack()
  const bed: TestBed = stack.use(await testBed(plugin, { pod, conf, grants: ambientGrants }))
  const agents = stack.use(agentNode())
  bed.node.api.setNamespace('demo', { [mode]: 'ambient' })
  const { hostname, port } = new URL(bed.node.api.url)
  agents.write('sa/token', bed.node.api.token)
  agents.write('sa/ca.crt', bed.node.api.ca)
  Object.assign(agents.env, {
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: port,
    CNI_AGENT_RUN_DIR: bed.node.runDir,
    NODE_NAME: 'n1',
    POD_NAMESPACE: 'istio-system',
    AMBIENT_ENABLED: 'true',
    AMBIENT_IPV6: 'true',
    AMBIENT_ENABLEMENT_SELECTOR: selector,
    ZTUNNEL_UDS_ADDRESS: agents.path('ztunnel.sock'),
  })
  const enter = ['nsenter', `--net=${bed.nodeNetns.path}`] as const
  const inNode = (...argv: string[]) => spawnSync(enter[0], [enter[1], ...argv], { encoding: 'utf8' }).stdout
  const begin = (): Promise<AgentProcess> =>
    // The first process of the machine, whose namespace is the node's, may be none that can be looked at.
    agents.start({
      file: [...enter, 'unshare', '--mount', 'sh', '-c', 'mount --bind /proc/$$ /proc/1 && exec "$0"', AGENT],
    })
  const start = async (): Promise<AgentProcess> => {
    const agent = await begin()
    await eventually(
      () => agent.log().includes('ambient mode is ready'),
      () => agent.log(),
    )
    return agent
  }
  return {
    bed,
    begin,
    start,
    names: agents.names,
    /** The rules of the node. */
    onNode: () => inNode('iptables-save'),
    /** The addresses whose probes are let through. */
    inSets: () => [...inNode('ipset', 'save').matchAll(/^add \S+ (\S+)/gm)].map(([, address]) => address),
    /** Connected to the agent. */
    async ztunnel(agent: AgentProcess) {
      const ztunnel = startZtunnel({ path: agents.path('ztunnel.sock') })
      stack.use(ztunnel)
      await eventually(
        () => ztunnel.ready,
        () => agent.log(),
      )
      return ztunnel
    },
    status: async () => JSON.parse((await agents.command('status', '--json')).stdout).ambient,
    add: (args: readonly (readonly [string, string])[] = []) =>
      bed.node.runtime.add(bed.node.conflist, { ...bed.attachment, args: [...(bed.attachment.args ?? []), ...args] }),
    annotation: () => bed.node.api.getPod('demo', 'web')?.metadata.annotations?.['ambient.istio.io/redirection'],
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

test.each([
  ['hands over by an event', []],
  ['has the agent decide about', [['K8S_POD_UID', uid]]],
] as const)(
  'a pod that the plugin %s is enrolled, outlives agents, and is tidied away with the last',
  async (_, args) => {
    await using on = await ambientNode()
    const first = await on.start()
    const ztunnel = await on.ztunnel(first)
    await on.add(args)
    expect(on.annotation()).toBe('enabled')
    expect(ztunnel.pods.get(uid)).toMatchObject({ workload: { name: 'web', namespace: 'demo' } })
    expect(await on.bed.save()).toContain('ISTIO_OUTPUT')
    expect(await on.bed.save('ip6tables-save')).toContain('ISTIO_OUTPUT')
    expect(await on.status()).toMatchObject({ enrolled: 1, pending: 0, ztunnels: 1 })

    on.bed.node.api.setDaemonSet('istio-system', 'istio-cni-node', {})
    first.kill('SIGTERM')
    expect(await first.exit).toEqual({ code: 0, signal: null })
    expect(on.annotation()).toBe('enabled')

    const second = await on.start()
    await eventually(
      () => ztunnel.ready,
      () => second.log(),
    )
    expect([...ztunnel.pods.keys()]).toEqual([uid])
    on.bed.node.api.setDaemonSet('istio-system', 'istio-cni-node')
    second.kill('SIGTERM')
    expect(await second.exit).toEqual({ code: 0, signal: null })
    expect(await on.bed.save()).toContain('ISTIO_OUTPUT')
  },
)

test('an agent that is killed between the rules and the annotation leaves a pod that the next one enrols', async () => {
  await using on = await ambientNode()
  const first = await on.start()
  const ztunnel = await on.ztunnel(first)
  const { api } = on.bed.node
  api.misbehave({ method: 'PATCH', hang: true })
  const added = on.add().catch((error: unknown) => error)
  await eventually(() => api.requests.some(({ method }) => method === 'PATCH'), first.log)
  first.kill('SIGKILL')
  expect(await first.exit).toEqual({ code: null, signal: 'SIGKILL' })
  expect(await added).toBeInstanceOf(Error)
  const rules = await on.bed.save()
  expect(rules).toContain('ISTIO_OUTPUT')
  expect(on.annotation()).toBeUndefined()

  const second = await on.start()
  await eventually(
    () => ztunnel.ready,
    () => second.log(),
  )
  // What a runtime does about it.
  await on.bed.node.runtime.del(on.bed.node.conflist, on.bed.attachment)
  const { result } = await on.add()
  expect(on.annotation()).toBe('enabled')
  expect([...ztunnel.pods.keys()]).toEqual([uid])
  const addresses = (result.ips ?? []).map(({ address }) => address.split('/')[0])
  expect(on.inSets().sort()).toEqual(addresses.sort())
  expect(rulesIn(await on.bed.save())).toEqual(rulesIn(rules))
})

describe('an API server that accepts and never answers does not keep the agent from ending', () => {
  test('after the look-up of the DaemonSet is given up, and then nothing stays on the node', async () => {
    await using on = await ambientNode()
    const agent = await on.start()
    on.bed.node.api.misbehave(...Array.from({ length: 1000 }, () => ({ hang: true })))
    expect(on.onNode()).toContain('ISTIO_POSTRT')
    const began = performance.now()
    agent.kill('SIGTERM')
    expect(await agent.exit).toEqual({ code: 0, signal: null })
    expect(performance.now() - began).toBeLessThan(7000)
    expect(on.onNode()).not.toContain('ISTIO_POSTRT')
    expect(on.names()).not.toContain('bin/istio-cni')
  })

  test('while it starts, too', async () => {
    await using on = await ambientNode()
    const { api } = on.bed.node
    api.misbehave(...Array.from({ length: 1000 }, () => ({ hang: true })))
    const agent = await on.begin()
    await eventually(() => api.requests.length > 0, agent.log)
    const began = performance.now()
    agent.kill('SIGTERM')
    expect(await agent.exit).toEqual({ code: 0, signal: null })
    expect(performance.now() - began).toBeLessThan(7000)
    expect(on.onNode()).not.toContain('ISTIO_POSTRT')
  })
})

/** Without counters and comments. */
const rulesIn = (saved: string): string[] => saved.split('\n').filter((line) => line.startsWith('-A'))
