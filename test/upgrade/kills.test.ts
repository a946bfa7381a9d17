import { expect, test } from 'vitest'
import { podsOn } from './pod-life.ts'
import { killAt, stepsOf } from './steps.ts'
import { streamOf } from './stream.ts'
import { other, type Release, stop, upgradeNode } from './upgrade-node.ts'

const isTemporary = (name: string): boolean => name.endsWith('.tmp')

test.each<Release>(['current', 'released'])(
  'the agent (%s) takes over after one that was killed at any step of its installation',
  async (release) => {
    const before = other(release)
    await using node = await upgradeNode()
    const pods = podsOn(node)
    await stop(await node.start(before))
    await using resident = await pods.add('resident')
    const steps = await stepsOf(node, release)
    await stop(await node.start(before))
    const missed: string[] = []
    await using stream = streamOf(pods)
    for (const [index, step] of steps.entries()) {
      if (!(await killAt(node, release, step))) missed.push(step)
      // The killed agent leaves a working node.
      await pods.check(resident)
      await using between = await pods.add(`between-${index}`)
      // Every second update is cancelled at this point: the earlier agent returns.
      if (index % 2 === 0) await stop(await node.start(release))
      await pods.check(between)
      await stop(await node.start(before))
      await pods.check(between)
      await pods.check(resident)
      await pods.del(between)
    }
    await stream.stop()
    await pods.del(resident)
    pods.expectNoneLeft(`killed at ${steps.length} steps`)
    expect(missed.length, missed.join('\n')).toBeLessThan(steps.length / 2)
    await stop(await node.start('current'))
    expect(node.files.names().filter(isTemporary)).toEqual([])
  },
  300_000,
)
