import { fakeRtnl } from '@cni/netns/testing'
import { expect, test } from 'vitest'
import { setUp, tearDown, verify } from './rules.ts'

const conf = { blocked: ['10.9.0.0/16', 'fd00:9::/32'] }

test('networks are blocked, verified and reachable again, without root and kernel', async () => {
  const pod = fakeRtnl()
  const before = await pod.getRoutes()
  await setUp('host', conf, pod.open)
  await verify('host', conf, pod.open)
  await expect(verify('host', { blocked: ['10.8.0.0/16'] }, pod.open)).rejects.toThrow('not blocked: 10.8.0.0/16')
  await tearDown('host', conf, pod.open)
  expect(await pod.getRoutes()).toEqual(before)
})
