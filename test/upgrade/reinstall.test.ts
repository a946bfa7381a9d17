import { expect, test } from 'vitest'
import { podsOn } from './pod-life.ts'
import { killAt, stepsOf } from './steps.ts'
import { type Release, stop, upgradeNode } from './upgrade-node.ts'

test('a node gets the release and then this commit again after this commit was uninstalled', async () => {
  await using node = await upgradeNode()
  const pods = podsOn(node)
  const isInstalled = (): boolean => node.files.names().includes('bin/istio-cni')
  const first = await node.start('current')
  await using resident = await pods.add('resident')
  await using guest = await pods.add('guest')
  await node.uninstall(first)
  expect(node.list().text).not.toContain('istio-cni')

  const second = await node.start('released')
  await pods.check(resident)
  await pods.del(guest, 'cache')
  await using later = await pods.add('later')
  await stop(second)
  const third = await node.start('current')
  for (const pod of [resident, later]) await pods.check(pod)
  for (const pod of [resident, later]) await pods.del(pod, 'cache')
  expect(isInstalled()).toBe(true)
  await using last = await pods.add('last')
  await pods.del(last)
  expect(isInstalled()).toBe(true)
  pods.expectNoneLeft('installed again')
  await node.uninstall(third)
  const left = node.files.names().filter((name) => /^(?:bin\/\.?istio|run\/)/.test(name))
  expect(left.filter((name) => name !== 'run/istio-cni.log')).toEqual([])
})

test.each<Release>(['current', 'released'])(
  'after the removal, an agent (%s) that is killed at any step of the installation leaves no pod without rules',
  async (release) => {
    await using node = await upgradeNode()
    const pods = podsOn(node)
    let agent = await node.start('current')
    await using resident = await pods.add('resident')
    await node.uninstall(agent)
    const steps = (await stepsOf(node, release)).filter((step) => /^(?:bin|net)/.test(step))
    for (const [index, step] of steps.entries()) {
      agent = await node.start('current')
      await node.uninstall(agent)
      await killAt(node, release, step)
      // // from the moment at which the list has the entry
      if (node.list().text.includes('"istio-cni"')) {
        await using early = await pods.add(`early-${index}`)
        await pods.del(early, 'cache')
      }
      agent = await node.start('current')
      await pods.check(resident)
      await using later = await pods.add(`later-${index}`)
      await pods.del(later)
      await stop(agent)
    }
    await pods.del(resident, 'cache')
    pods.expectNoneLeft(`installed again by ${release}, killed at ${steps.length} steps`)
  },
  300_000,
)
