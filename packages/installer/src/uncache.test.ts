import { fstatSync, lstatSync, readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fakeNode } from '../test/node.ts'
import { installed } from '../test/running.ts'

test('the page cache of a copy and of its source can be given back; of a copy that is there already, the source', async () => {
  const node = fakeNode()
  const told: number[] = []
  const uncache = (fd: number): void => void told.push(fstatSync(fd).ino)
  const inodes = (folder: string) =>
    readdirSync(node.path(folder)).map((name) => lstatSync(node.path(folder, name)).ino)
  await installed(node, { uncache })
  expect(told.toSorted()).toEqual([...inodes('bin'), ...inodes('src')].toSorted())
  told.length = 0
  // As an agent that was started anew.
  await installed(node, { uncache })
  expect(told.toSorted()).toEqual(inodes('src').toSorted())
})
