import { randomUUID } from 'node:crypto'
import { mode } from '../../../../istio-rules/test/ambient-pods.ts'
import { ambientGrants } from '../../../src/testing/grants.ts'
import { startZtunnel } from '../../../src/testing/node/ztunnel/ztunnel.ts'
import { plainPod } from '../../../src/testing/pods.ts'
import { type AgentProcess, eventually } from '../../stage/agent-node.ts'
import { ambientConf, cniArgs } from '../../stage/cni-call.ts'
import { COMPILED } from '../../stage/executables.ts'
import { inside } from '../../stage/inside.ts'
import { ambientReady, startOnNode } from '../../stage/on-node.ts'
import { onNode } from '../../stage/pods.ts'
import { stage, writeAccount } from '../../stage/stage.ts'
import { type TestBed, testBed } from '../plugin/pod.ts'

/** UID of the test pod `web`. */
export const uid = '55efbedd-5af0-4fb0-b896-61604f0b0b53'
const selector = `
- podSelector: { matchLabels: { ${mode}: ambient } }
- podSelector: { matchExpressions: [{ key: ${mode}, operator: NotIn, values: [none] }] }
  namespaceSelector: { matchLabels: { ${mode}: ambient } }
`
const stored = (name: string, itsUid: string) =>
  onNode(plainPod({ name, namespace: 'demo' }), itsUid, { serviceAccountName: 'default' })

/** Starts a test node with the plugin chain and compiled agents in ambient mode. Disposing the node ends the agents. */
export async function ambientNode() {
  const bedOptions = { pod: stored('web', uid), conf: ambientConf, grants: ambientGrants }
  const env = {
    AMBIENT_ENABLED: 'true',
    AMBIENT_IPV6: 'true',
    AMBIENT_ENABLEMENT_SELECTOR: selector,
    POD_NAMESPACE: 'istio-system',
  }
  const parts = { agent: { env }, ztunnel: startZtunnel }
  return await stage(parts, async ({ agents, pod, stack, ztunnel, ztunnelSocket }) => {
    const bed: TestBed = stack.use(await testBed(() => COMPILED, bedOptions))
    // Mounts the pod's network namespace before the agent starts, because the agent does not see later mounts.
    const netns = await pod()
    // The agents have to end before the test removes the folder of their run directory.
    stack.use(agents)
    const { api, runDir, runtime, conflist } = bed.node
    api.setNamespace('demo', { [mode]: 'ambient' })
    writeAccount(api, agents.path('sa'), agents)
    agents.env.CNI_AGENT_RUN_DIR = runDir
    const begin = () => startOnNode(agents, bed.nodeNetns)
    return {
      bed,
      begin,
      ztunnelSocket,
      /** Adds a second pod to the test node. */
      async addAnother(name: string) {
        const itsUid = randomUUID()
        api.setPod(stored(name, itsUid))
        const args = cniArgs('demo', name)
        const attachment = { ...bed.attachment, containerID: itsUid, netns: netns.path, args }
        const { result } = await runtime.add(conflist, attachment)
        return { uid: itsUid, netns, addresses: (result.ips ?? []).map(({ address }) => address.split('/')[0] ?? '') }
      },
      start: () => ambientReady(begin()),
      names: agents.names,
      /** Rules in the node's network namespace, as `iptables-save` prints them. */
      onNode: () => inside(bed.nodeNetns, ['iptables-save']),
      /** Pod addresses in the node's ipsets for kubelet's probes. */
      inSets: () =>
        [...inside(bed.nodeNetns, ['ipset', 'save']).matchAll(/^add \S+ (\S+)/gm)].map(([, address]) => address),
      /** Starts a ztunnel stand-in and waits until it is connected to the agent. */
      async ztunnel(agent: AgentProcess) {
        const started = ztunnel()
        await eventually(() => started.ready, agent.log)
        return started
      },
      status: async () => JSON.parse((await agents.command('status', '--json')).stdout).ambient,
      add: (args: readonly (readonly [string, string])[] = []) =>
        runtime.add(conflist, { ...bed.attachment, args: [...(bed.attachment.args ?? []), ...args] }),
      annotation: () => api.getPod('demo', 'web')?.metadata.annotations?.['ambient.istio.io/redirection'],
    }
  })
}
