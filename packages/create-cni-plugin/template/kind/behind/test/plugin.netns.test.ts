import { tempNetns } from '@cni/netns/testing'
import { testPlugin } from '@cni/skel/testing'
import { expect, test } from 'vitest'
import { plugin } from '../src/plugin.ts'
import { conf, seen, tamper } from './given.ts'

test('ADD twice, CHECK, CHECK after the rules were removed, DEL: in a throw-away namespace', async () => {
  await using pod = await tempNetns()
  const tester = testPlugin(plugin, { netns: pod, conf })

  for (let time = 1; time <= 2; time++) expect(await tester.add()).toMatchObject({ exitCode: 0 })
  expect(await seen(pod)).not.toEqual([])
  expect(await tester.check()).toMatchObject({ exitCode: 0 })
  await tamper(pod)
  expect(await tester.check()).toMatchObject({ error: { code: 100 } })

  expect(await tester.add()).toMatchObject({ exitCode: 0 })
  for (let time = 1; time <= 2; time++) expect(await tester.del()).toMatchObject({ exitCode: 0 })
  expect(await seen(pod)).toEqual([])
})

test('DEL of one of two attachments keeps the rules for the other, and DEL without an ADD changes nothing', async () => {
  await using pod = await tempNetns()
  const tester = testPlugin(plugin, { netns: pod, conf })
  const second = { ifName: 'net1', conf: { ...conf, name: 'second' } }

  await tester.add()
  await tester.add(second)
  const rules = await seen(pod)
  await tester.del({ ifName: 'net2' })
  await tester.del(second)
  expect(await seen(pod)).toEqual(rules)
  await tester.del()
  expect(await seen(pod)).toEqual([])
})
