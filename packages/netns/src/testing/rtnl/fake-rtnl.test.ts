import { openSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rtnlBehaviour } from '../../../test/rtnl/rtnl.suite.ts'
import { run } from '../../enter/runner.ts'
import { Netns } from '../../handle/netns.ts'
import { fakeRtnl } from './fake-rtnl.ts'

const handle = (ino: bigint): Netns => new Netns(`/run/netns/fake-${ino}`, openSync('/dev/null', 'r'), { dev: 0n, ino })

rtnlBehaviour('the fake', async () => {
  const [node, pod] = [handle(1n), handle(2n)]
  return {
    node,
    pod,
    open: fakeRtnl().open,
    async [Symbol.asyncDispose]() {
      node.close()
      pod.close()
    },
  }
})

test("the fake is the node's namespace, and opens other namespaces that share its changes", async () => {
  const node = fakeRtnl()
  using pod = handle(3n)
  using inside = await node.open(pod)
  await node.addLink({ kind: 'veth', name: 'v0', peer: { name: 'eth0', netns: pod } })
  expect((await inside.getLinks()).map(({ name }) => name)).toEqual(['lo', 'eth0'])
  using again = await node.open('host')
  expect((await again.getLinks()).map(({ name }) => name)).toEqual(['lo', 'v0'])
})

test('the returned objects are copies', async () => {
  const node = fakeRtnl()
  const [lo] = await node.getLinks()
  if (lo !== undefined) Reflect.set(lo, 'mtu', 7)
  expect(await node.getLink('lo')).toMatchObject({ mtu: 65536 })
})

test('entering a fake namespace throws an error that explains the fake', () => {
  using pod = handle(4n)
  expect(() => run(pod, () => 1)).toThrow(
    expect.objectContaining({
      code: 'FAKE',
      message: expect.stringMatching(/"\/run\/netns\/fake-4".*fakeRtnl.*tempNetns/),
    }),
  )
})
