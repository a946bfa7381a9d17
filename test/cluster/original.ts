import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expectedObjects } from '../../packages/istio-redirect/test/chart/expected-objects.ts'
import { file } from '../../scripts/lib/image/tar.ts'
import { agentReady, upgrade } from './agent.ts'
import { loadImage, nodeFolder } from './cluster.ts'

const folder = process.env.CNI_PEERS ?? ''
const agent = join(folder, 'install-cni')
const plugin = join(folder, 'istio-cni')

/** True if the folder `CNI_PEERS` has the files for an image of Istio's agent. */
export const hasOriginal = process.env.CNI_PEERS !== undefined && existsSync(agent) && existsSync(plugin)

const IMAGE = 'localhost/original-install-cni:1'
const ISTIO = 'opt/test/istio'

/** Reads the executable of Istio's plugin on the cluster's node. */
export const originalPlugin = (): Buffer => readFileSync(plugin)

/** Loads an image of Istio's agent and plugin, and writes a chart with Istio's objects. */
export async function loadOriginal(): Promise<void> {
  await loadImage(IMAGE, [
    file('usr/local/bin/install-cni', readFileSync(agent), 0o755),
    file('opt/cni/bin/istio-cni', originalPlugin(), 0o755),
  ])
  const chart = join(nodeFolder, ISTIO)
  mkdirSync(join(chart, 'templates'), { recursive: true })
  writeFileSync(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: cni\nversion: 1.30.3\n')
  const objects = expectedObjects().map((object) => JSON.stringify(object))
  const text = objects.join('\n---\n').replaceAll('h/install-cni:1.30.3', IMAGE)
  writeFileSync(join(chart, 'templates/all.yaml'), text)
}

/** Installs Istio's chart with the given values. Waits until Istio's agent is ready. */
export async function installOriginal(...values: readonly string[]): Promise<void> {
  await upgrade(`/${ISTIO}`, values)
  await agentReady()
}
