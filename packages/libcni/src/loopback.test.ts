import { expect, test } from 'vitest'
import { fakeWorlds } from '../test/fake-world.ts'
import { addLoopback, delLoopback, loopbackList, loopbackOf } from './loopback.ts'

const worlds = fakeWorlds()
const container = { containerID: 'c1', netns: '/run/netns/c1' }

test('addLoopback attaches lo to the network cni-loopback, and delLoopback detaches it', async () => {
  const { runtime, exec } = worlds.setUp({ loopback: { ADD: { cniVersion: '0.4.0', interfaces: [{ name: 'lo' }] } } })
  const { result } = await addLoopback(runtime, container)
  expect(result.interfaces).toEqual([{ name: 'lo' }])
  expect(runtime.attachments('c1')).toMatchObject([{ network: 'cni-loopback', ifName: 'lo', netns: '/run/netns/c1' }])
  await runtime.check(loopbackList, loopbackOf(container))
  await delLoopback(runtime, container)
  expect(runtime.attachments('c1')).toEqual([])
  expect(exec.calls.map(({ command, type, env, conf }) => [command, type, env.CNI_IFNAME, conf.cniVersion])).toEqual(
    ['ADD', 'CHECK', 'DEL'].map((verb) => [verb, 'loopback', 'lo', '0.4.0']),
  )
})
