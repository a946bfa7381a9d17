import { openRtnl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { expect, test } from 'vitest'

test('a kept handle deletes nothing, and additions work', async () => {
  await using pod = await tempNetns()
  using free = await openRtnl(pod)
  await free.addLink({ kind: 'veth', name: 'd0', up: true, peer: { name: 'd1', up: true } })
  await free.addAddress('d0', '10.9.9.1/24')
  const route = { cidr: '10.8.0.0/16', type: 'unreachable', metric: 50 } as const
  await free.addRoute(route)
  const rule = { family: 'ipv4', table: 77, fwmark: 7 } as const
  await free.addRule(rule)

  pod.kept = 'eth0 is attached there as well'
  using kept = await openRtnl(pod)
  expect(await kept.deleteRoute(route)).toEqual({ deleted: false })
  expect(await kept.deleteRule(rule)).toEqual({ deleted: false })
  expect(await kept.deleteAddress('d0', '10.9.9.1/24')).toEqual({ deleted: false })
  expect(await kept.deleteLink('d0')).toEqual({ deleted: false })
  expect(await kept.addAddress('d0', '10.9.9.2/24')).toEqual({ added: true })
  expect((await free.getAddresses({ link: 'd0' })).map(({ cidr }) => cidr)).toEqual(
    expect.arrayContaining(['10.9.9.1/24', '10.9.9.2/24']),
  )
  expect(await free.getRules({ table: 77 })).toHaveLength(1)
  expect((await free.getRoutes()).filter(({ type }) => type === 'unreachable')).toHaveLength(1)
})
