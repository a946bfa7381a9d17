/** Measures an ADD on a node that redirects its pods' traffic with eBPF. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { openRtnl } from '@cni/netns'
import {
  nodeLevelNode,
  type PodToAdd,
  type PtpPodOptions,
} from '../packages/istio-redirect/test/e2e/ambient/node-level-node.ts'
import { eventually } from '../packages/istio-redirect/test/stage/agent-node.ts'
import { hasRules } from './lib/calls/plugin-calls.ts'
import { root } from './lib/compiled.ts'
import type { Contender } from './lib/race/contender.ts'
import { SuiteReport, settings } from './lib/race/suite.ts'
import { freshCopy } from './lib/scratch.ts'

const used = settings({ runs: 40 })
const suite = new SuiteReport(
  'istio-cni as a whole process (with nsenter) on a ptp network, with the compiled agent in the mode node-ebpf: the same ' +
    'node, agent and list for all',
  used,
)
await using on = await nodeLevelNode(freshCopy(join(root, 'dist/bin/istio-cni')), 'node-ebpf')
const ztunnel = await on.ztunnel('ztunnel', randomUUID(), 1)
const agent = await on.start()
ztunnel.ready(true)
await eventually(
  () => on.shared().ztunnelReady,
  () => agent.log(),
)
const annotations = { 'ambient.istio.io/redirection': 'enabled' }
await suite.race(
  'ADD of a pod',
  [
    { ...adding('a sidecar, served', { namespace: 'plain', sidecar: true }, isServed), reference: true },
    { ...adding('neither', { namespace: 'plain', sidecar: false }), reference: true },
    adding('in the mesh by eBPF', { namespace: 'shop', sidecar: false }, hasPrograms),
    // The pod already has the agent's annotation, so the plugin needs no API request.
    adding('in the mesh by eBPF, annotated before', { namespace: 'shop', sidecar: false, annotations }, hasPrograms),
  ],
  used.runs,
)
suite.write()

type Kind = Pick<PtpPodOptions, 'namespace' | 'sidecar' | 'annotations'>

function adding(name: string, kind: Kind, verify: (pod: PodToAdd) => Promise<void> = async () => {}): Contender {
  return {
    name,
    async prepare() {
      const uid = randomUUID()
      const pod = await on.podToAdd({ ...kind, name: `pod-${uid}`, uid })
      return { ...pod.call, verify: () => verify(pod), cleanUp: () => pod.cleanUp() }
    },
  }
}

async function isServed({ name, netns }: PodToAdd): Promise<void> {
  if (!(await hasRules(netns))) throw new Error('a pod with a sidecar has no rules')
  // Checks that the agent served the ADD: the plugin sent no API request.
  const asked = on.api.requests.some((each) => each.url.includes(`/pods/${name}`))
  if (asked) throw new Error(`the plugin asked the API server for ${name}`)
}

async function hasPrograms(pod: PodToAdd): Promise<void> {
  using rtnl = await openRtnl(on.node)
  const filters = await rtnl.getFilters({ link: await on.linkOf(pod) })
  if (filters.length !== 2) throw new Error(`a pod in the mesh has ${filters.length} programs`)
}
