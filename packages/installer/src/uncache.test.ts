import { fstatSync, lstatSync, readdirSync, utimesSync } from 'node:fs'
import { expect, test } from 'vitest'
import { eventually, fakeNode } from '../test/node.ts'
import { installed } from '../test/running.ts'

test('the page cache of a source can be dropped, and the copy stays cached', async () => {
  const node = fakeNode()
  // A second check, if there was time for one, reports a file again.
  const told = new Set<number>()
  const uncache = (fd: number): void => void told.add(fstatSync(fd).ino)
  const inodes = (folder: string) =>
    readdirSync(node.path(folder)).map((name) => lstatSync(node.path(folder, name)).ino)
  await installed(node, { uncache })
  expect([...told].toSorted()).toEqual(inodes('src').toSorted())
  told.clear()
  // Repeats the installation, as an agent does after a restart.
  await installed(node, { uncache })
  expect([...told].toSorted()).toEqual(inodes('src').toSorted())
})

test.each([
  ['are read once if their last writes are old', 60, 1],
  ['are read twice if they are not, because writes in the same tick have the same timestamp', -60, 2],
])('existing source and copy %s', async (_, ageSeconds, times) => {
  const node = fakeNode()
  await (await installed(node)).stop()
  const stamp = Date.now() / 1000 - ageSeconds
  for (const path of [node.path('src/mesh'), node.path('bin/mesh')]) utimesSync(path, stamp, stamp)
  const { ino } = lstatSync(node.path('src/mesh'))
  let read = 0
  const began = performance.now()
  await installed(node, { uncache: (fd) => void (fstatSync(fd).ino === ino && read++) })
  // Runs passes after the timestamps have settled.
  await eventually(() => performance.now() - began > 200, 'time')
  for (const token of ['second', 'third', 'fourth']) {
    node.write('sa/token', token)
    await eventually(() => node.read('run/kubeconfig').includes(`token: ${token}`), 'a look')
  }
  expect(read).toBe(times)
})
