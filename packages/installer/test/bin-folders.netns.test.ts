import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { calico, eventually, fakeNode } from './node.ts'
import { installed, running } from './running.ts'

/** A folder outside the node, with a mount that lasts as long as the node. */
function mounted(mount: (folder: string) => readonly [target: string, ...options: string[]]): string {
  const folder = mkdtempSync(join(tmpdir(), 'cni-mount-'))
  const [target, ...options] = mount(folder)
  execFileSync('mount', [...options, target])
  onTestFinished(() => {
    execFileSync('umount', [target])
    rmSync(folder, { recursive: true })
  })
  return folder
}

const readOnlyFolder = () => mounted((folder) => [folder, '-t', 'tmpfs', '-o', 'ro', 'none'])

test('the writable one of two binary folders is used, and the other is reported', async () => {
  const other = readOnlyFolder()
  const node = fakeNode()
  const { installer } = await installed(node, { binDirs: [other, node.path('bin')] })
  expect(node.read('bin/mesh')).toBe('plugin v1')
  expect(node.read('net/10-calico.conflist')).toContain('"mesh"')
  const skipped = installer.status().artefacts.filter(({ state }) => state === 'skipped')
  expect(skipped).toEqual([
    {
      artefact: 'binary',
      path: `${other}/mesh-lib.so`,
      state: 'skipped',
      reason: expect.stringMatching(`read-only.*; ${node.path('bin')} has the plugin`),
    },
  ])
  expect(node.events).toContainEqual(
    expect.objectContaining({ type: 'failed', error: expect.objectContaining({ errno: 'EROFS' }) }),
  )
})

test('a single binary folder that is not writable keeps the plugin out of the network', async () => {
  const other = readOnlyFolder()
  const node = fakeNode()
  const { installer } = running(node, { binDirs: [other] })
  await eventually(() => installer.status().reason?.includes('read-only') === true, 'the failure')
  expect(installer.status().ready).toBe(false)
  expect(node.read('net/10-calico.conflist')).not.toContain('"mesh"')
})

test('a list that is a mount point gets a hint', async () => {
  const netDir = mounted((folder) => {
    const list = join(folder, '10-calico.conflist')
    writeFileSync(list, calico)
    return [list, '--bind', list]
  })
  const { installer } = running(fakeNode(), { netDir })
  await eventually(() => installer.status().reason?.includes('EBUSY') === true, 'the failure')
  expect(installer.status().reason).toContain('mount its folder instead')
})
