import { fstatSync, lstatSync, readdirSync, utimesSync } from 'node:fs'
import { expect, test } from 'vitest'
import { eventually, fakeNode } from '../test/node.ts'
import { installed } from '../test/running.ts'

test('the page cache of a source can be given back, and that of a copy stays, which every pod starts', async () => {
  const node = fakeNode()
  // A second look, where there was time for one, tells of a file again.
  const told = new Set<number>()
  const uncache = (fd: number): void => void told.add(fstatSync(fd).ino)
  const inodes = (folder: string) =>
    readdirSync(node.path(folder)).map((name) => lstatSync(node.path(folder, name)).ino)
  await installed(node, { uncache })
  expect([...told].toSorted()).toEqual(inodes('src').toSorted())
  told.clear()
  // As an agent that was started anew.
  await installed(node, { uncache })
  expect([...told].toSorted()).toEqual(inodes('src').toSorted())
})

test.each([
  ['are read once where what was written to them is old', 60, 1],
  ['are read twice where it is not: a write in the same tick has the same stamp', -60, 2],
])('source and copy that are there already %s', async (_, ageSeconds, times) => {
  const node = fakeNode()
  await (await installed(node)).stop()
  const stamp = Date.now() / 1000 - ageSeconds
  for (const path of [node.path('src/mesh'), node.path('bin/mesh')]) utimesSync(path, stamp, stamp)
  const { ino } = lstatSync(node.path('src/mesh'))
  let read = 0
  const began = performance.now()
  await installed(node, { uncache: (fd) => void (fstatSync(fd).ino === ino && read++) })
  // Looks at all of it, after the stamps would have settled.
  await eventually(() => performance.now() - began > 200, 'time')
  for (const token of ['second', 'third', 'fourth']) {
    node.write('sa/token', token)
    await eventually(() => node.read('run/kubeconfig').includes(`token: ${token}`), 'a look')
  }
  expect(read).toBe(times)
})
