/**
 * Measures whole processes of the compiled plugin and the bare runtime. If Istio's plugin is installed, measures it
 * too.
 */
import { mkdtempDisposableSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repairGrants } from '@cni/istio-redirect/testing'
import { type Node, startNode } from '@cni/istio-redirect/testing/node'
import type { Netns } from '@cni/netns'
import { type ServingAgent, startServingAgent } from './lib/agent/serving-agent.ts'
import { floor } from './lib/calls/floor.ts'
import { add, after, call, MESH, OUTSIDE, type Plugin, podNamespace } from './lib/calls/plugin-calls.ts'
import { bareRuntime, originals } from './lib/calls/references.ts'
import { root } from './lib/compiled.ts'
import { type Contender, version } from './lib/race/contender.ts'
import { Spawner } from './lib/race/spawner-client.ts'
import { SuiteReport, settings } from './lib/race/suite.ts'
import { percentile } from './lib/report/statistics.ts'
import { freshCopy } from './lib/scratch.ts'
import { tmpfs } from './lib/tmpfs.ts'

/** Configuration members with which containerd passes a pod's annotations to a plugin. */
const withAnnotations = (annotations: object) => ({
  runtimeConfig: { 'io.kubernetes.cri.pod-annotations': annotations },
})
const WITH_ANNOTATIONS = {
  mesh: withAnnotations(MESH.metadata.annotations ?? {}),
  outside: withAnnotations({ 'example.org/any': 'thing' }),
}

const used = settings({ runs: 20, pods: 200 })
const suite = new SuiteReport('Whole processes on a real kernel and the embedded API server', used)

const PLUGIN = freshCopy(join(root, 'dist/bin/istio-cni'))
/** Our plugin without the agent's help, as on a node without an agent. */
const ours: Plugin = { name: 'ours', argv: [PLUGIN], conf: { agent: 'never' } }
const served: Plugin = { name: 'ours, served', argv: [PLUGIN] }
const plugins: Plugin[] = [ours, ...originals('istio-cni')]
const bare = await bareRuntime()

using temporary = mkdtempDisposableSync(join(tmpdir(), 'cni-bench-'))
const folder = temporary.path
using _ = tmpfs(folder)
const grants = repairGrants.repair
await using node = await startNode({ folder, target: 'host', plugin: PLUGIN, pods: [MESH, OUTSIDE], grants })
// Starts an agent that listens for the plugin's events, as on a node.
await using agent = await startServingAgent(freshCopy(join(root, 'dist/bin/install-cni')), node, folder)
const [mesh, outside] = [MESH.metadata.name, OUTSIDE.metadata.name]
await raced('VERSION', version)
await suite.race('what a mesh ADD needs', [...(await floor(node, ours, folder)), bare], used.runs)
await raced('ADD, mesh pod', (one) => add(node, one, mesh, true), [served])
await agentsShare(node, agent)
forget(node)
await raced('ADD, mesh pod, annotations handed over', (one) => add(node, one, mesh, true, WITH_ANNOTATIONS.mesh))
const native = plugins.map((one) => ({ ...one, conf: { ...one.conf, native_nftables: true } }))
await suite.race('ADD, mesh pod, native', [...native.map((one) => add(node, one, mesh, true)), bare], used.runs)
await raced('ADD, pod outside the mesh', (one) => add(node, one, outside, false), [served])
await raced('ADD, pod outside the mesh, annotations handed over', (one) =>
  add(node, one, outside, false, WITH_ANNOTATIONS.outside),
)
await raced('ADD, excluded namespace', (one) => add(node, one, outside, false, { exclude_namespaces: ['demo'] }))
forget(node)
await raced('CHECK, mesh pod', (one) => after(node, one, 'CHECK'))
await raced('DEL, mesh pod', (one) => after(node, one, 'DEL'))
await bursts(node)
suite.write()

/** Times the plugins and the bare runtime. The bare runtime is the reference for each plugin. */
async function raced(
  group: string,
  contender: (plugin: Plugin) => Contender,
  more: readonly Plugin[] = [],
): Promise<void> {
  await suite.race(group, [...[...more, ...plugins].map(contender), bare], used.runs)
}

/** Removes the plugin's records of earlier pods, because a DEL reads the records of all pods on the node. */
function forget(node: Node): void {
  rmSync(join(node.runDir, 'attachments'), { recursive: true, force: true })
}

/** Measures the agent's CPU time and API requests for an ADD that it serves. */
async function agentsShare(node: Node, agent: ServingAgent): Promise<void> {
  const [before, asked] = [agent.cpuMs(), node.api.requests.length]
  await burst(node, served, used.pods)
  const one = (quantity: string, all: number) =>
    suite.add('ADD, mesh pod', quantity, [{ name: served.name, samples: [all / used.pods] }])
  one('CPU ms of the agent', agent.cpuMs() - before)
  one('API requests', node.api.requests.length - asked)
}

/** Starts many mesh pods, as after a node's start, alternating between the plugins. */
async function bursts(node: Node): Promise<void> {
  const times = [served, ...plugins].map((plugin) => ({ plugin, each: [] as number[], all: 0 }))
  for (let quarter = 0; quarter < 4; quarter++) {
    for (const one of times) {
      const begun = performance.now()
      one.each.push(...(await burst(node, one.plugin, Math.ceil(used.pods / 4))))
      one.all += performance.now() - begun
    }
  }
  for (const [quantity, of] of [
    ['ms', (each: readonly number[]) => each],
    ['p99 ms', (each: readonly number[]) => [percentile(each, 0.99)]],
    ['all of them, ms', (_: readonly number[], all: number) => [all]],
  ] as const) {
    const entries = times.map(({ plugin, each, all }) => ({ ...plugin, samples: of(each, all) }))
    suite.add('mesh pods, 8 at a time', quantity, entries)
  }
}

/** Starts pods with one plugin. Excludes the creation of namespaces from the times. */
async function burst(node: Node, plugin: Plugin, pods: number): Promise<number[]> {
  const times: number[] = []
  await using made = new AsyncDisposableStack()
  const waiting: Netns[] = []
  for (let pod = 0; pod < pods; pod++) waiting.push(made.use(await podNamespace()))
  const worker = async () => {
    using spawner = new Spawner()
    for (let podNetns = waiting.pop(); podNetns !== undefined; podNetns = waiting.pop()) {
      const { exitCode, stdout, ms } = await spawner.run(call(node, plugin, 'ADD', podNetns, MESH.metadata.name))
      if (exitCode !== 0) throw new Error(`${plugin.name} failed (${exitCode}): ${stdout}`)
      times.push(ms)
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  return times
}
