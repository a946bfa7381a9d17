import fs, { linkSync, lstatSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { installer } from '@cni/installer'
import { expect, onTestFinished, test } from 'vitest'
import { eventually, type FakeNode, fakeNode } from '../test/node.ts'
import { installed } from '../test/running.ts'

const names = ['mesh', 'mesh-a', 'mesh-b']
/** Which file each name in the binary folder is. */
const inodes = (node: FakeNode) => names.map((name) => lstatSync(node.path('bin', name)).ino)
const texts = (node: FakeNode) => names.map((name) => node.read(`bin/${name}`))

/** A node whose source folder has one plugin file under three names. */
function withNames(node = fakeNode()): FakeNode {
  for (const name of names.slice(1)) linkSync(node.path('src/mesh'), node.path('src', name))
  return node
}

/** As an image of a new version brings it. */
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

test('what somebody writes into the one file is put right under all its names', async () => {
  const { node } = await installed(withNames())
  node.write('bin/mesh-b', 'tampered')
  await eventually(() => texts(node).every((text) => text === 'plugin v1'), 'healed')
  await eventually(() => new Set(inodes(node)).size === 1, 'one file')
})

test('files that are different stay different files', async () => {
  using node = fakeNode()
  node.write('src/mesh-a', 'plugin v1', 0o755)
  node.write('src/mesh-b', 'another', 0o755)
  await installer(node.options).install()
  expect(new Set(inodes(node)).size).toBe(3)
})

test('where the file system has no hard links each name is a copy', async () => {
  const real = fs.linkSync
  const set = (value: unknown): void => {
    Reflect.set(fs, 'linkSync', value)
    syncBuiltinESMExports()
  }
  using node = withNames()
  set(() => {
    throw Object.assign(new Error('EPERM: operation not permitted, link'), { code: 'EPERM' })
  })
  onTestFinished(() => set(real))
  expect(await installer(node.options).install()).toMatchObject({ ready: true })
  expect(texts(node)).toEqual(['plugin v1', 'plugin v1', 'plugin v1'])
  expect(new Set(inodes(node)).size).toBe(3)
  expect(fs.readdirSync(node.path('bin')).sort()).toEqual([...names, 'mesh-lib.so'].sort())
})
