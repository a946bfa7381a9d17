/** Whole-process times of the compiled plugin beside the bare runtime and, where it is found, the original. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '@cni/host'
import { startNodeAgent } from '@cni/istio-redirect/testing'
import { type Node, startNode } from '@cni/istio-redirect/testing/node'
import { loadSys } from '@cni/netns/sys'
import { compiled, root } from './lib/compiled.ts'
import type { Contender } from './lib/contender.ts'
import { floor } from './lib/floor.ts'
import { peer } from './lib/peers.ts'
import { add, after, call, MESH, OUTSIDE, type Plugin, podNamespace, version } from './lib/plugin-calls.ts'
import { freshCopy } from './lib/scratch.ts'
import { percentile } from './lib/statistics.ts'
import { SuiteReport, settings } from './lib/suite.ts'

/** What containerd hands over of a pod without a sidecar. */
const HANDED_OVER = { runtimeConfig: { 'io.kubernetes.cri.pod-annotations': { 'example.org/any': 'thing' } } }

const used = settings({ runs: 20, pods: 200 })
const suite = new SuiteReport('Whole processes on a real kernel and the embedded API server', used)

const PLUGIN = freshCopy(join(root, 'dist/bin/istio-cni'))
const original = peer('istio-cni')
const ours: Plugin = { name: 'ours', file: PLUGIN }
const plugins: Plugin[] = [
  ours,
  ...(original === undefined ? [] : [{ name: 'original', file: freshCopy(original), reference: true }]),
]
const bare = version({ name: 'bare runtime', file: freshCopy(await compiled('bare')), reference: true })

const folder = mkdtempSync(join(tmpdir(), 'cni-bench-'))
// The run directory of a node is on a tmpfs; only this process sees the one we mount.
loadSys().mount('tmpfs', folder, 'tmpfs', 0, 'mode=0755')
try {
  await using node = await startNode({ folder, target: 'host', plugin: PLUGIN, pods: [MESH, OUTSIDE] })
  // On a node the agent listens for what the plugin has to tell.
  await using _agent = await startNodeAgent(node.runDir)
  const [mesh, outside] = [MESH.metadata.name, OUTSIDE.metadata.name]
  await raced('VERSION', version)
  await suite.race('what a mesh ADD needs', [...(await floor(node, ours, folder)), bare], used.runs)
  await raced('ADD, mesh pod', (one) => add(node, one, mesh, true))
  await raced('ADD, pod outside the mesh', (one) => add(node, one, outside, false))
  await raced('ADD, pod outside the mesh, annotations handed over', (one) =>
    add(node, one, outside, false, HANDED_OVER),
  )
  await raced('ADD, excluded namespace', (one) => add(node, one, outside, false, { exclude_namespaces: ['demo'] }))
  await raced('CHECK, mesh pod', (one) => after(node, one, 'CHECK'))
  await raced('DEL, mesh pod', (one) => after(node, one, 'DEL'))
  await bursts(node)
  suite.write()
} finally {
  loadSys().umount2(folder, 2)
  rmSync(folder, { recursive: true, force: true })
}

/** The bare runtime runs in every race: where there is no original, it is what a ratio can be made of. */
async function raced(group: string, contender: (plugin: Plugin) => Contender): Promise<void> {
  await suite.race(group, [...plugins.map(contender), bare], used.runs)
}

/** Many pods, eight at a time: what a node sees when it starts. The plugins take turns after each quarter of them. */
async function bursts(node: Node): Promise<void> {
  const times = plugins.map((plugin) => ({ plugin, each: [] as number[], all: 0 }))
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

async function burst(node: Node, plugin: Plugin, pods: number): Promise<number[]> {
  const times: number[] = []
  const waiting = Array.from({ length: pods }, (_, index) => index)
  const worker = async () => {
    for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
      await using place = await podNamespace()
      const { argv, env, stdin } = call(node, plugin, 'ADD', place, MESH.metadata.name)
      const { durationMs } = await run(argv, { env: { ...env, CNI_CONTAINERID: `burst${index}` }, input: stdin })
      times.push(durationMs)
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  return times
}
