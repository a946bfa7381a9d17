import { iptables } from '@cni/iptables'
import { netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { testPlugin } from '@cni/skel/testing'
import { expect, test } from 'vitest'
import { plugin } from '../src/plugin.ts'

test('DEL of one of two attachments keeps the rules of the other, and DEL without an ADD changes nothing', async () => {
  await using pod = await tempNetns()
  const tester = testPlugin(plugin, { conf: { port: 15001 }, netns: pod })
  const second = { ifName: 'net1', conf: { name: 'second' } }
  await tester.add()
  await tester.add(second)
  const rules = await iptables(pod).save('ipv4')
  await tester.del({ ifName: 'net2' })
  await tester.del(second)
  expect(await iptables(pod).save('ipv4')).toBe(rules)
  expect(await tester.check()).toMatchObject({ exitCode: 0 })
  await tester.del()
  expect(await iptables(pod).save('ipv4')).not.toContain('EX_')
})

test('ADD, ADD and DEL leave no table', async () => {
  await using pod = await tempNetns()
  const tester = testPlugin(plugin, { conf: { port: 15001 }, netns: pod })
  await tester.add()
  await tester.add()
  await tester.del()
  expect(await netns.exec(pod, ['nft', 'list', 'ruleset'])).toMatchObject({ stdout: '' })
})
