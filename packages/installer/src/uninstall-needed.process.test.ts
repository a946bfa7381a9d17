import { spawn } from 'node:child_process'
import { existsSync, linkSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { installer } from '@cni/installer'
import { expect, onTestFinished, test } from 'vitest'
import { NODE_FLAGS } from '../../../test/node.ts'
import { crashBefore } from '../test/crash-fs.ts'
import { cacheResult, copyToMultus, recordAttachment } from '../test/needed.ts'
import { calico, type FakeNode, fakeNode } from '../test/node.ts'
import { toSettings } from './options.ts'

/** Starts a process of the plugin, which performs a DEL for each path of the plugin's file. */
function pluginProcess(): (executable: string) => Promise<string> {
  const program = join(import.meta.dirname, '../test/processes/last-del.ts')
  const child = spawn(process.execPath, [...NODE_FLAGS, program], { stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill())
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return async (executable) => {
    child.stdin.write(`${executable}\n`)
    const { value } = await lines.next()
    return String(value)
  }
}

const inBin = (node: FakeNode): string[] => readdirSync(node.path('bin')).sort()

test.each([
  ['a record', recordAttachment, 'record'],
  ['a cached result', (node: FakeNode) => cacheResult(node, 'c9', ['calico', 'mesh']), 'result'],
  ['a copy in the delegates of Multus', copyToMultus, 'configuration'],
])('%s keeps the plugin, with a marker, and the report names it', async (_, need, kind) => {
  using node = fakeNode()
  await installer(node.options).install()
  const path = node.path(need(node))
  const { errors, kept, needs, moreNeeds } = await installer(node.options).uninstall()
  expect({ errors, kept, moreNeeds }).toEqual({ errors: [], kept: [node.path('bin/mesh')], moreNeeds: 0 })
  expect(needs).toMatchObject([{ kind, path }])
  expect(inBin(node)).toEqual(['.mesh.uninstalled', 'mesh', 'mesh-lib.so'])
  expect(statSync(node.path('bin/.mesh.uninstalled')).mode & 0o777).toBe(0o644)
  expect([node.read('net/10-calico.conflist'), existsSync(node.path('run/kubeconfig'))]).toEqual([calico, false])
})

test('with containerd, which deletes with the current list, records and its results do not keep the plugin', async () => {
  using node = fakeNode()
  const nodePaths = { [node.path('cache')]: '/var/lib/cni' }
  const cacheDirs = [node.path('cache'), node.path('cache/multus')]
  const options = { ...node.options, runtime: 'containerd' as const, cacheDirs, nodePaths }
  recordAttachment(node)
  cacheResult(node, 'c9', ['calico', 'mesh'])
  await installer(options).install()
  expect(await installer(options).uninstall()).toMatchObject({ errors: [], kept: [], needs: [] })
  expect(inBin(node)).toEqual(['mesh-lib.so'])
})

test('with containerd and Multus, results of Multus keep the plugin', async () => {
  using node = fakeNode()
  const nodePaths = { [node.path('cache')]: '/var/lib/cni/multus' }
  const options = { ...node.options, runtime: 'containerd' as const, nodePaths }
  const result = cacheResult(node, 'c9', ['mesh'])
  await installer(options).install()
  const { needs } = await installer(options).uninstall()
  expect(needs).toMatchObject([{ kind: 'result', path: node.path(result) }])
  expect(inBin(node)).toEqual(['.mesh.uninstalled', 'mesh', 'mesh-lib.so'])
})

test('a repeated uninstallation removes the file and the marker when nothing needs them any more', async () => {
  using node = fakeNode()
  await installer(node.options).install()
  const need = cacheResult(node, 'c9', ['mesh'])
  await installer(node.options).uninstall()
  expect(await installer(node.options).uninstall()).toMatchObject({ errors: [], kept: [node.path('bin/mesh')] })
  rmSync(node.path(need))
  const { kept, needs } = await installer(node.options).uninstall()
  expect({ kept, needs, left: inBin(node) }).toEqual({ kept: [], needs: [], left: ['mesh-lib.so'] })
})

test('the last DEL of a process removes the files that the uninstallation kept', async () => {
  using node = fakeNode()
  await installer(node.options).install()
  const [own, other] = [cacheResult(node, 'c1', ['mesh']), cacheResult(node, 'c2', ['mesh'])]
  await installer(node.options).uninstall()
  const del = pluginProcess()
  expect([existsSync(node.path(own)), await del(node.path('bin/mesh'))]).toEqual([true, 'left'])
  rmSync(node.path(other))
  expect([await del(node.path('bin/mesh')), inBin(node)]).toEqual(['removed', ['mesh-lib.so']])
})

test('an installation removes the marker and keeps the file', async () => {
  using node = fakeNode()
  await installer(node.options).install()
  recordAttachment(node)
  await installer(node.options).uninstall()
  const { changes } = await installer(node.options).plan()
  expect(changes[0]).toMatchObject({ action: 'remove', path: node.path('bin/.mesh.uninstalled') })
  expect(await installer(node.options).install()).toMatchObject({ ready: true })
  expect(inBin(node)).toEqual(['mesh', 'mesh-lib.so'])
  expect(node.events).toContainEqual(
    expect.objectContaining({ type: 'changed', action: 'remove', path: node.path('bin/.mesh.uninstalled') }),
  )
})

test('a marker that cannot be removed keeps the entry out of the list', async () => {
  using node = fakeNode()
  await installer(node.options).install()
  recordAttachment(node)
  await installer(node.options).uninstall()
  await crashBefore(1, async () => {
    await expect(installer(node.options).install()).rejects.toThrow('cannot remove the marker')
  })
  expect(node.read('net/10-calico.conflist')).toBe(calico)
})

test('an installation that races the last DEL always leaves the plugin, without a marker', async () => {
  const del = pluginProcess()
  for (let round = 0; round < 60; round += 1) {
    using node = fakeNode()
    await installer(node.options).install()
    const need = node.path(recordAttachment(node))
    await installer(node.options).uninstall()
    rmSync(need)
    const deleted = del(node.path('bin/mesh'))
    // The processes run in both orders, and interleaved.
    for (let turns = 0; turns < (round % 20) * 8; turns += 1) await new Promise((resolve) => setImmediate(resolve))
    await installer(node.options).install()
    expect(['left', 'removed']).toContain(await deleted)
    expect(inBin(node), `round ${round}`).toEqual(['mesh', 'mesh-lib.so'])
    expect(node.read('net/10-calico.conflist')).toContain('"mesh"')
  }
})

test('each binary folder and each name of the plugin is kept and removed separately', async () => {
  using node = fakeNode()
  linkSync(node.path('src/mesh'), node.path('src/mesh-a'))
  const options = { ...node.options, binDirs: [node.path('bin'), node.path('run')] }
  await installer(options).install()
  const need = cacheResult(node, 'c9', ['mesh-a'])
  const { kept } = await installer(options).uninstall()
  expect(kept).toEqual([node.path('bin/mesh-a'), node.path('run/mesh-a')])
  expect(inBin(node)).toEqual(['.mesh-a.uninstalled', 'mesh-a', 'mesh-lib.so'])
  rmSync(node.path(need))
  expect((await installer(options).uninstall()).kept).toEqual([])
})

test('an uninstallation that is killed between any two calls keeps needed files, and the next one marks them', async () => {
  for (let n = 1; ; n += 1) {
    using node = fakeNode()
    await installer(node.options).install()
    cacheResult(node, 'c9', ['mesh'])
    const calls = await crashBefore(n, () => installer(node.options).uninstall())
    expect(inBin(node)).toContain('mesh')
    // A plugin without a kubeconfig gets a marker.
    if (!existsSync(node.path('run/kubeconfig'))) expect(inBin(node)).toContain('.mesh.uninstalled')
    await installer(node.options).uninstall()
    expect(inBin(node)).toEqual(['.mesh.uninstalled', 'mesh', 'mesh-lib.so'])
    if (calls < n) return
  }
})

test('an unmounted cache of the node is reported, and keeps the plugin', async () => {
  using node = fakeNode()
  const mount = node.path('host/var/lib/cni')
  const options = { ...node.options, cacheDirs: [mount], nodePaths: { [mount]: '/var/lib/cni' } }
  await installer(options).install()
  const { errors, needs, kept } = await installer(options).uninstall()
  expect(errors).toEqual([])
  expect(kept).toEqual([node.path('bin/mesh')])
  expect(needs).toMatchObject([
    { kind: 'unknown', path: mount, reason: expect.stringContaining('/var/lib/cni of the node') },
  ])
  expect(JSON.parse(node.read('bin/.mesh.uninstalled'))).toMatchObject({ results: ['/var/lib/cni/results'] })
})

test('a copy is reported even if no file of the plugin is left', async () => {
  using node = fakeNode()
  await installer(node.options).install()
  await installer(node.options).uninstall()
  copyToMultus(node)
  const report = await installer(node.options).uninstall()
  expect(report).toMatchObject({ changes: [], kept: [], needs: [{ kind: 'configuration' }] })
})

test('a link in place of the marker is replaced, not followed', async () => {
  using node = fakeNode()
  await installer(node.options).install()
  node.write('victim', 'safe')
  symlinkSync(node.path('victim'), node.path('bin/.mesh.uninstalled'))
  recordAttachment(node)
  expect(await installer(node.options).uninstall()).toMatchObject({ errors: [], kept: [node.path('bin/mesh')] })
  expect(node.read('victim')).toBe('safe')
})

test('a binary folder that new options no longer use keeps no marked plugin', async () => {
  using node = fakeNode()
  recordAttachment(node)
  const mesh = installer({ ...node.options, binDirs: [node.path('bin'), node.path('run')] })
  await mesh.install()
  mesh.reconfigure(node.options)
  await mesh.install()
  expect(readdirSync(node.path('run')).filter((name) => name.includes('mesh'))).toEqual(['mesh-lib.so'])
})

test('an agent in a container searches below /host, and the plugin the paths of the node', () => {
  const { cacheDirs, nodePaths, recordsRoot } = toSettings({ plugin: { type: 'mesh' }, netDir: '/host/etc/cni/net.d' })
  expect({ cacheDirs, nodePaths, recordsRoot }).toEqual({
    cacheDirs: ['/host/var/lib/cni', '/host/var/lib/cni/multus'],
    nodePaths: {
      '/host/etc/cni/net.d': '/etc/cni/net.d',
      '/host/var/lib/cni': '/var/lib/cni',
      '/host/run/cni': '/run/cni',
    },
    recordsRoot: '/host/run/cni',
  })
  expect(toSettings({ plugin: { type: 'mesh' }, netDir: '/etc/cni/net.d' })).toMatchObject({
    cacheDirs: ['/var/lib/cni', '/var/lib/cni/multus'],
    nodePaths: {},
    recordsRoot: '/run/cni',
  })
})
