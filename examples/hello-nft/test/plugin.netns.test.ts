import { tempNetns } from '@cni/netns/testing'
import { openNft } from '@cni/nftables/wire'
import { testPlugin } from '@cni/skel/testing'
import { expect, test } from 'vitest'
import { plugin } from '../src/plugin.ts'

test('ADD twice, CHECK and DEL in a namespace', async () => {
  await using pod = await tempNetns()
  using nft = openNft(pod)
  const tester = testPlugin(plugin, { conf: { port: 15001 }, netns: pod })
  expect(await tester.add()).toMatchObject({ exitCode: 0 })
  const generation = nft.generation()
  expect(await tester.add()).toMatchObject({ exitCode: 0 })
  expect(nft.generation()).toBe(generation)
  expect(await tester.check()).toMatchObject({ exitCode: 0 })
  expect(await tester.check({ conf: { port: 15002 } })).toMatchObject({ error: { code: 100 } })
  expect(await tester.del()).toMatchObject({ exitCode: 0 })
  expect(nft.tables()).toEqual([])
})

test('DEL of one of two attachments keeps the table of the other, and DEL without an ADD changes nothing', async () => {
  await using pod = await tempNetns()
  using nft = openNft(pod)
  const tester = testPlugin(plugin, { conf: { port: 15001 }, netns: pod })
  const second = { ifName: 'net1', conf: { name: 'second' } }
  await tester.add()
  await tester.add(second)
  const generation = nft.generation()
  await tester.del({ ifName: 'net2' })
  await tester.del(second)
  expect(nft.generation()).toBe(generation)
  await tester.del()
  expect(nft.tables()).toEqual([])
})
