import { openRtnl, sysctl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { definePlugin } from '@cni/skel'
import { testPlugin } from '@cni/skel/testing'
import { expect, test } from 'vitest'

const NAME = 'net.ipv4.conf.lo.arp_notify'

const plugin = definePlugin({
  name: 'undo-rtnl',
  async add(c) {
    using rtnl = await openRtnl(c)
    await rtnl.addLink({ kind: 'veth', name: 'v0', up: true, peer: { name: 'v1' } })
    await rtnl.addAddress('v0', '10.1.0.1/24')
    await rtnl.addLink({ kind: 'bridge', name: 'b0' })
    await sysctl(c).set(NAME, 1)
    c.undo(() => rtnl.setLink('lo', { txqlen: 77 }))
    throw new Error('no address left')
  },
  check() {},
  del() {},
})

test('a failed ADD reverts links, addresses and settings, and runs its own undo steps', async () => {
  await using pod = await tempNetns()
  using look = await openRtnl(pod)
  const { error, stderr } = await testPlugin(plugin).add({ netns: pod })
  expect(error).toMatchObject({ msg: 'no address left' })
  expect(stderr).not.toContain('undo step failed')
  expect((await look.getLinks()).map(({ name, txqlen }) => [name, txqlen])).toEqual([['lo', 77]])
  expect(await sysctl(pod).get(NAME)).toBe('0')
})

test('an operation in the fake namespace of a test reports that it is a fake', async () => {
  const { error } = await testPlugin(plugin).add({ netns: 'fake' })
  expect(error?.msg).toMatch(/fake namespace of a test .*fakeRtnl/)
})
