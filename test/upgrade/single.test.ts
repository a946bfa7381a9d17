import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { podsOn } from './pod-life.ts'
import { other, type Release, stop, upgradeNode } from './upgrade-node.ts'

test.each<Release>(['released', 'current'])(
  'a network that the agent of a release (%s) made a list keeps its name: its pods are deleted under the other',
  async (release) => {
    await using node = await upgradeNode()
    const { cniVersion, name, plugins } = node.list().conflist
    rmSync(node.files.path('net/10-pods.conflist'))
    node.files.write('net/10-pods.conf', JSON.stringify({ cniVersion, name, ...plugins[0] }))
    const pods = podsOn(node)
    const nameOf = () => {
      const { name, cniVersion } = node.list().conflist
      return { name, cniVersion }
    }
    const first = await node.start(release)
    const made = nameOf()
    await using byList = await pods.add('by-list')
    await using byCache = await pods.add('by-cache')
    await stop(first)
    const second = await node.start(other(release))
    expect(nameOf()).toEqual(made)
    await using later = await pods.add('later')
    for (const pod of [byList, byCache, later]) await pods.check(pod)
    await pods.del(byList)
    await pods.del(byCache, 'cache')
    await stop(second)
    const third = await node.start(release)
    expect(nameOf()).toEqual(made)
    await pods.del(later)
    await stop(third)
    pods.expectNoneLeft(`a list made by ${release}: ${made.name} ${made.cniVersion}`)
  },
)
