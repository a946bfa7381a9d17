import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { installer } from '@cni/installer'
import type { Attachment } from '@cni/libcni'
import { tempNetns } from '@cni/netns/testing'
import { expect, test } from 'vitest'
import { COMPILED, RUNTIMES } from '../../stage/executables.ts'
import { type TestBed, testBed } from './pod.ts'

/** The files of a test bed's plugin, as installed on its node. */
const installed = ({ node, folder }: TestBed) =>
  installer({
    plugin: { type: 'istio-cni', cni_agent_run_dir: node.runDir },
    netDir: node.confDir,
    binDirs: [node.binDir],
    sourceDir: join(folder, 'source'),
    kubeconfig: {
      path: join(node.runDir, 'istio-cni-kubeconfig'),
      server: 'https://10.0.0.1',
      tokenFile: '/nowhere/token',
    },
    recordDirs: [join(node.runDir, 'attachments')],
    cacheDirs: [node.cacheDir],
  })

const ofPlugin = ({ node }: TestBed): string[] =>
  readdirSync(node.binDir)
    .filter((name) => name.includes('istio-cni'))
    .sort()

/** Attaches a second pod of the mesh. */
async function another({ node, attachment }: TestBed, containerID: string, netns: string): Promise<Attachment> {
  const one = { ...attachment, containerID, netns }
  await node.runtime.add(node.conflist, one)
  return one
}

async function uninstalledBed(plugin: (folder: string) => string, withPods: (bed: TestBed) => Promise<void>) {
  const bed = await testBed(plugin)
  mkdirSync(join(bed.folder, 'source'))
  writeFileSync(join(bed.folder, 'source', 'istio-cni'), 'for its name only', { mode: 0o755 })
  await withPods(bed)
  const report = await installed(bed).uninstall()
  return { bed, report }
}

test.each(RUNTIMES)(
  'pods that outlive the plugin are deleted, in any order, and the last takes it along (%s)',
  async (_, plugin) => {
    await using first = await tempNetns()
    await using second = await tempNetns()
    for (const order of [
      [0, 1],
      [1, 0],
    ] as const) {
      const pods: Attachment[] = []
      const { bed, report } = await uninstalledBed(plugin, async (at) => {
        pods.push(await another(at, 'pod-one', first.path), await another(at, 'pod-two', second.path))
      })
      await using _bed = bed
      expect(report.errors).toEqual([])
      expect(report.needs.map(({ kind }) => kind).sort()).toEqual(['record', 'record', 'result', 'result'])
      expect(existsSync(join(bed.node.runDir, 'istio-cni-kubeconfig'))).toBe(false)
      const [earlier, later] = order.map((at) => pods[at]) as [Attachment, Attachment]
      await bed.node.runtime.check(bed.node.conflist, earlier)
      await bed.node.runtime.del(bed.node.conflist, earlier)
      expect(ofPlugin(bed)).toEqual(['.istio-cni.uninstalled', 'istio-cni'])
      await bed.node.runtime.del(bed.node.conflist, later)
      expect(ofPlugin(bed)).toEqual([])
      expect([bed.node.leases(), bed.node.stateFiles()]).toEqual([[], []])
    }
  },
)

test('a reboot empties the records, and the cached result alone keeps the plugin', async () => {
  const { bed } = await uninstalledBed(
    () => COMPILED,
    async (at) => void (await at.add()),
  )
  await using _bed = bed
  rmSync(join(bed.node.runDir, 'attachments'), { recursive: true })
  expect((await installed(bed).uninstall()).needs.map(({ kind }) => kind)).toEqual(['result'])
  await bed.node.runtime.del(bed.node.conflist, { ...bed.attachment, netns: '' })
  expect(ofPlugin(bed)).toEqual([])
})

test('an ADD with a copy of the entry passes while the plugin is uninstalled, and leaves no rule and no record', async () => {
  const { bed, report } = await uninstalledBed(
    () => COMPILED,
    async ({ node }) => {
      const text = JSON.stringify({ name: 'multus', type: 'multus', delegates: [node.conflist] })
      writeFileSync(join(node.confDir, '00-multus.conf'), text)
    },
  )
  await using _bed = bed
  expect(report.needs.map(({ kind }) => kind)).toContain('configuration')
  await bed.add()
  expect(await bed.save()).not.toContain('ISTIO_')
  expect(bed.node.stateFiles()).toEqual([])
  expect(bed.node.log.join('')).toContain('was uninstalled from this node')
  await bed.node.runtime.del(bed.node.conflist, bed.attachment)
  // Multus would call the plugin for the next pod.
  expect(ofPlugin(bed)).toEqual(['.istio-cni.uninstalled', 'istio-cni'])
})
