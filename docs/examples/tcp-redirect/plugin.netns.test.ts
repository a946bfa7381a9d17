import { iptables } from '@cni/iptables'
import { tempNetns } from '@cni/netns/testing'
import { testPlugin } from '@cni/skel/testing'
import { expect, test } from 'vitest'
import { plugin } from './plugin.ts'

test('ADD writes the rules, CHECK detects missing rules, DEL removes everything', async () => {
  await using pod = await tempNetns()
  const tester = testPlugin(plugin, { netns: pod, conf: { port: 15001, proxy_uid: 1337 } })

  expect((await tester.add()).exitCode).toBe(0)
  expect((await tester.check()).exitCode).toBe(0)

  await iptables(pod).removeChains('TR_')
  expect((await tester.check()).error?.code).toBe(100)

  expect((await tester.del()).exitCode).toBe(0)
  expect(await iptables(pod).save('ipv4')).not.toContain('TR_')
})

test('DEL of one of two attachments keeps the rules of the other, and DEL without an ADD changes nothing', async () => {
  await using pod = await tempNetns()
  const tester = testPlugin(plugin, { netns: pod, conf: { port: 15001, proxy_uid: 1337 } })
  const second = { ifName: 'net1', conf: { name: 'second' } }

  await tester.add()
  await tester.add(second)
  const rules = await iptables(pod).save('ipv4')
  await tester.del({ ifName: 'net2' })
  await tester.del(second)
  expect(await iptables(pod).save('ipv4')).toBe(rules)
  await tester.del()
  expect(await iptables(pod).save('ipv4')).not.toContain('TR_')
})
