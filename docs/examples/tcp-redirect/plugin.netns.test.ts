import { iptables } from '@cni/iptables'
import { tempNetns } from '@cni/netns/testing'
import { testPlugin } from '@cni/skel/testing'
import { expect, test } from 'vitest'
import { plugin } from './plugin.ts'

test('ADD writes the rules, CHECK sees that they are gone, DEL leaves nothing', async () => {
  await using pod = await tempNetns()
  const tester = testPlugin(plugin, { netns: pod, conf: { port: 15001, proxy_uid: 1337 } })

  expect((await tester.add()).exitCode).toBe(0)
  expect((await tester.check()).exitCode).toBe(0)

  await iptables(pod).removeChains('TR_')
  expect((await tester.check()).error?.code).toBe(100)

  expect((await tester.del()).exitCode).toBe(0)
  expect(await iptables(pod).save('ipv4')).not.toContain('TR_')
})
