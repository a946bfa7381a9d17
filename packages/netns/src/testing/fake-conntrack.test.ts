import { fakeConntrack } from '@cni/netns/testing'
import { conntrackBehaviour } from '../../test/conntrack.suite.ts'

conntrackBehaviour('the fake', async () => {
  const { open, add } = fakeConntrack()
  return { where: 'host', open, add, async [Symbol.asyncDispose]() {} }
})
