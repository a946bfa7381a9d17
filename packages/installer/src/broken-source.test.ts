import { copyFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { installer } from '@cni/installer'
import { expect, test } from 'vitest'
import { calico, eventually, type FakeNode, fakeNode } from '../test/node.ts'
import { installed, running } from '../test/running.ts'

const whole = readFileSync('/bin/true')
const damages: [string, Buffer, string][] = [
  ['empty', Buffer.alloc(0), 'is empty'],
  ['cut in half', whole.subarray(0, whole.length / 2), 'is truncated'],
  ['without its last byte', whole.subarray(0, -1), 'is truncated'],
  ['all zeros', Buffer.alloc(whole.length), 'is blank'],
]

test.each(damages)('a plugin in the source folder that is %s never replaces a working one', async (_, bytes, says) => {
  const { node, installer } = await installed()
  const conflist = node.read('net/10-calico.conflist')
  // A new version with its library.
  node.write('src/mesh-lib.so', 'library v2')
  writeFileSync(node.path('src/mesh'), bytes)
  await eventually(() => installer.status().reason?.includes(says) ?? false, 'said')
  expect(installer.status()).toMatchObject({
    ready: false,
    artefacts: expect.arrayContaining([
      expect.objectContaining({ artefact: 'binary', path: node.path('src/mesh'), state: 'failed' }),
    ]),
  })
  expect((await installer.plan()).reason).toContain(says)
  expect(node.read('bin/mesh')).toBe('plugin v1')
  expect(node.read('net/10-calico.conflist')).toBe(conflist)
  copyFileSync('/bin/true', node.path('src/mesh'))
  await eventually(() => installer.status().ready, 'ready')
  expect(readFileSync(node.path('bin/mesh')).equals(whole)).toBe(true)
  expect(node.read('bin/mesh-lib.so')).toBe('library v2')
})

test('a plugin that must stay keeps its libraries, and other files are healed', async () => {
  const { node, installer, stop } = await installed()
  await stop()
  node.write('src/mesh-lib.so', 'library v2')
  truncateSync(node.path('src/mesh'))
  node.write('src/tool', 'tool', 0o755)
  await expect(installer.install()).rejects.toMatchObject({ code: 'BROKEN_SOURCE', path: node.path('src/mesh') })
  expect([node.read('bin/mesh-lib.so'), node.read('bin/tool')]).toEqual(['library v1', 'tool'])
})

test.each(damages)(
  'with a source that is %s and no working plugin, the network stays without the plugin',
  async (_, bytes) => {
    const node = fakeNode()
    writeFileSync(node.path('src/mesh'), bytes)
    // An earlier agent has copied it.
    writeFileSync(node.path('bin/mesh'), bytes, { mode: 0o755 })
    const { installer } = running(node)
    await eventually(() => node.events.some(isBroken), 'failed')
    expect(installer.status().ready).toBe(false)
    expect(node.read('net/10-calico.conflist')).toBe(calico)
    rmSync(node.path('bin/mesh'))
    await eventually(() => installer.status().reason?.includes('not copied') ?? false, 'said')
    expect(node.files()['bin/mesh']).toBeUndefined()
  },
)

const isBroken = (event: FakeNode['events'][number]) => event.type === 'failed' && event.error.code === 'BROKEN_SOURCE'

test('a truncated library is not copied, but an empty one is', async () => {
  using node = fakeNode()
  writeFileSync(node.path('src/mesh-lib.so'), '')
  expect(await installer(node.options).install()).toMatchObject({ ready: true })
  writeFileSync(node.path('src/mesh-lib.so'), whole.subarray(0, -1))
  await expect(installer(node.options).install()).rejects.toMatchObject({ code: 'BROKEN_SOURCE' })
  expect(node.read('bin/mesh-lib.so')).toBe('')
})
