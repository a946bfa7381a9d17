import { tempNetns } from '@cni/netns/testing'
import { testPlugin } from '@cni/skel/testing'
import { expect, test } from 'vitest'
import { plugin } from '../src/plugin.ts'
import { conf, seen, tamper } from './given.ts'

test('ADD twice, CHECK, CHECK after somebody tampered with it, DEL: in a namespace that is gone afterwards', async () => {
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
