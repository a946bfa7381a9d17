import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { archive, layer } from '../../../../scripts/lib/image/oci.ts'
import { file } from '../../../../scripts/lib/image/tar.ts'
import { load } from './cluster.ts'

const folder = process.env.CNI_PEERS ?? ''
const agent = join(folder, 'install-cni')
const plugin = join(folder, 'istio-cni')

/** Whether `CNI_PEERS` has what an image of the original is made of. */
export const hasOriginal = process.env.CNI_PEERS !== undefined && existsSync(agent) && existsSync(plugin)

const NAME = 'localhost/original-install-cni:1'

/** Values of the chart for the original's image, whose agent and plugin have one account. */
export const ORIGINAL = [`image=${NAME}`, 'pluginServiceAccount=']

/** Brings an image with the original's agent and plugin, and nothing else, to the node. */
export async function loadOriginal(): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'original-image-'))
  try {
    const entries = [
      file('usr/local/bin/install-cni', readFileSync(agent), 0o755),
      file('opt/cni/bin/istio-cni', readFileSync(plugin), 0o755),
    ]
    const only = await layer(entries, { time: 0, compression: 'zstd', cache: scratch })
    const tar = join(scratch, 'original.tar')
    writeFileSync(tar, archive([{ architecture: 'amd64', layers: [only] }], { name: NAME, time: 0, about: {} }))
    await load(tar)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
