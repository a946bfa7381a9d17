import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import type { Netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { mode } from '../../../istio-rules/test/ambient-pods.ts'
import { ambientGrants } from '../../src/testing/grants.ts'
import { startZtunnel } from '../../src/testing/node/ztunnel/ztunnel.ts'
import { plainPod } from '../../src/testing/pods.ts'
import { onNode } from '../pods-fixture.ts'
import { AGENT, type AgentProcess, agentNode, eventually } from './agent-node.ts'
import { RUNTIMES } from './executables.ts'
import { type TestBed, testBed } from './pod.ts'

/** Of the pod `web`. */
export const uid = '55efbedd-5af0-4fb0-b896-61604f0b0b53'
const selector = `
- podSelector: { matchLabels: { ${mode}: ambient } }
- podSelector: { matchExpressions: [{ key: ${mode}, operator: NotIn, values: [none] }] }
  namespaceSelector: { matchLabels: { ${mode}: ambient } }
`
const stored = (name: string, itsUid: string) => {
  const pod = onNode(plainPod({ name, namespace: 'demo' }))
  // As any API server would say.
  const spec = { ...pod.spec, serviceAccountName: 'default' }
  return { ...pod, metadata: { ...pod.metadata, uid: itsUid }, spec }
}
const conf = {
  ambient_enabled: true,
  enablement_selectors: [{ podSelector: {}, namespaceSelector: { matchLabels: { [mode]: 'ambient' } } }],
}
const [plugin] = RUNTIMES.map(([, file]) => file)

/** A node with the chain, and compiled agents of it that end with it. */
export async function ambientNode() {
  if (plugin === undefined) throw new Error('a plugin')
  const stack = new AsyncDisposableStack()
  const bed: TestBed = stack.use(await testBed(plugin, { pod: stored('web', uid), conf, grants: ambientGrants }))
  // What is mounted later, agents do not see.
  const netns = stack.use(await tempNetns())
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
    ztunnelSocket: agents.path('ztunnel.sock'),
    /** Adds a second pod. */
    async addAnother(name: string): Promise<{ uid: string; netns: Netns; addresses: readonly string[] }> {
      const digest = createHash('sha256').update(name).digest('hex')
      const itsUid = `${uid.slice(0, -12)}${digest.slice(0, 12)}`
      bed.node.api.setPod(stored(name, itsUid))
      const args = (bed.attachment.args ?? []).map(
        ([key, value]) => [key, key === 'K8S_POD_NAME' ? name : value] as const,
      )
      const attachment = { ...bed.attachment, containerID: digest.slice(0, 12), netns: netns.path, args }
      const { result } = await bed.node.runtime.add(bed.node.conflist, attachment)
      return { uid: itsUid, netns, addresses: (result.ips ?? []).map(({ address }) => address.split('/')[0] ?? '') }
    },
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
