import { ipset } from '@cni/ipset'
import { tempNetns } from '@cni/netns/testing'
import { expect, test } from 'vitest'

test('a kept handle removes neither sets nor entries, but adds entries', async () => {
  await using pod = await tempNetns()
  const free = ipset(pod).set('pods', { type: 'hash:ip', family: 'ipv4', comment: true })
  await free.create()
  await free.add({ entry: '10.0.0.1', comment: 'uid-1' })

  pod.kept = 'eth0 is attached there as well'
  const kept = ipset(pod).set('pods', { type: 'hash:ip', family: 'ipv4', comment: true })
  await kept.delete('10.0.0.1')
  await kept.deleteByComment('uid-1')
  await kept.flush()
  await kept.destroy()
  await kept.add('10.0.0.2')
  expect((await free.list()).map(({ entry }) => entry).sort()).toEqual(['10.0.0.1', '10.0.0.2'])
})
