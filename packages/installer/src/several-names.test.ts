import fs, { linkSync, lstatSync, rmSync, symlinkSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename } from 'node:path'
import { installer } from '@cni/installer'
import { expect, onTestFinished, test } from 'vitest'
import { eventually, type FakeNode, fakeNode } from '../test/node.ts'
import { installed } from '../test/running.ts'

const names = ['mesh', 'mesh-a', 'mesh-b']
/** Inode of each name in the binary folder. */
const inodes = (node: FakeNode) => names.map((name) => lstatSync(node.path('bin', name)).ino)
const texts = (node: FakeNode) => names.map((name) => node.read(`bin/${name}`))

/** A node whose source folder has one plugin file with three names. */
function withNames(node = fakeNode()): FakeNode {
  for (const name of names.slice(1)) linkSync(node.path('src/mesh'), node.path('src', name))
  return node
}

/** Replaces the source files, as an image of a new version does. */
function newVersion(node: FakeNode): void {
  for (const name of names) rmSync(node.path('src', name))
  node.write('src/mesh', 'plugin v2', 0o755)
  withNames(node)
}

test('one file with several names in the source folder is one file on the node, and stays one', async () => {
  const { node } = await installed(withNames())
  expect(new Set(inodes(node)).size).toBe(1)
  expect(lstatSync(node.path('bin/mesh')).nlink).toBe(names.length)
  expect(lstatSync(node.path('bin/mesh')).ino).not.toBe(lstatSync(node.path('src/mesh')).ino)
  const [before] = inodes(node)
  rmSync(node.path('bin/mesh-a'))
  await eventually(() => inodes(node).every((inode) => inode === before), 'linked again')
  newVersion(node)
  await eventually(() => texts(node).every((text) => text === 'plugin v2'), 'replaced')
  expect(new Set(inodes(node)).size).toBe(1)
  await eventually(() => fs.readdirSync(node.path('bin')).length === names.length + 1, 'nothing temporary left')
})

test('a change to the one file is healed under all its names', async () => {
  const { node } = await installed(withNames())
  node.write('bin/mesh-b', 'tampered')
  await eventually(() => texts(node).every((text) => text === 'plugin v1'), 'healed')
  await eventually(() => new Set(inodes(node)).size === 1, 'one file')
})

test('different files stay different', async () => {
  using node = fakeNode()
  node.write('src/mesh-a', 'plugin v1', 0o755)
  node.write('src/mesh-b', 'another', 0o755)
  await installer(node.options).install()
  expect(new Set(inodes(node)).size).toBe(3)
})

/** Simulates a binary folder without hard links until the end of the test. */
function withoutLinks(node: FakeNode): void {
  const real = fs.linkSync
  const set = (value: unknown): void => {
    Reflect.set(fs, 'linkSync', value)
    syncBuiltinESMExports()
  }
  set((file: string, path: string) => {
    if (!path.startsWith(node.path('bin'))) return real(file, path)
    throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' })
  })
  onTestFinished(() => set(real))
}

test('without hard links each name is a copy', async () => {
  using node = withNames()
  withoutLinks(node)
  expect(await installer(node.options).install()).toMatchObject({ ready: true })
  expect(texts(node)).toEqual(['plugin v1', 'plugin v1', 'plugin v1'])
  expect(new Set(inodes(node)).size).toBe(3)
  expect(fs.readdirSync(node.path('bin')).sort()).toEqual([...names, 'mesh-lib.so'].sort())
})

/** Uninstalls the plugin and returns the files that stay in the binary folder. */
async function leftBy(node: FakeNode): Promise<string[]> {
  const { errors, changes } = await installer(node.options).uninstall()
  expect(errors).toEqual([])
  const removed = changes.filter(({ artefact }) => artefact === 'binary').map(({ path }) => basename(path))
  const left = fs.readdirSync(node.path('bin'))
  expect([...removed, ...left].sort()).toEqual(['mesh-lib.so', ...names, 'other'].sort())
  return left
}

test.each<[string, (node: FakeNode) => void]>([
  ['as hard links', () => {}],
  ['as copies', withoutLinks],
])('an uninstallation removes all names of the plugin, installed %s, and nothing else', async (_, prepare) => {
  using node = withNames()
  prepare(node)
  await installer(node.options).install()
  node.write('bin/other', 'plugin v1', 0o755)
  newVersion(node)
  expect(await leftBy(node)).toEqual(['mesh-lib.so', 'other'])
})

test.each<[string, (node: FakeNode) => void]>([
  ['another’s file', (node) => node.write('bin/mesh-a', 'another’s', 0o755)],
  ['another’s link', (node) => symlinkSync('mesh-b', node.path('bin/mesh-a'))],
  ['a folder', (node) => fs.mkdirSync(node.path('bin/mesh-a'))],
])('%s under a name of the plugin stays', async (_, put) => {
  using node = withNames()
  await installer(node.options).install()
  node.write('bin/other', 'another', 0o755)
  rmSync(node.path('bin/mesh-a'))
  put(node)
  expect(await leftBy(node)).toEqual(['mesh-a', 'mesh-lib.so', 'other'])
})

test('an uninstallation that was killed is completed by the next one', async () => {
  using node = withNames()
  await installer(node.options).install()
  rmSync(node.path('bin/mesh'))
  await installer(node.options).uninstall()
  expect(fs.readdirSync(node.path('bin'))).toEqual(['mesh-lib.so'])
})

test('a source folder with fewer names leaves only these', async () => {
  const { node, installer: mesh } = await installed(withNames())
  fs.mkdirSync(node.path('next'))
  node.write('next/mesh', 'plugin v2', 0o755)
  linkSync(node.path('next/mesh'), node.path('next/mesh-b'))
  mesh.reconfigure({ ...node.options, sourceDir: node.path('next') })
  await eventually(() => !fs.existsSync(node.path('bin/mesh-a')), 'removed')
  expect(fs.readdirSync(node.path('bin'))).toEqual(['mesh', 'mesh-b', 'mesh-lib.so'])
  expect(node.read('bin/mesh-b')).toBe('plugin v2')
})
