import { openRtnl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { rtnlBehaviour } from './rtnl.suite.ts'

rtnlBehaviour('the kernel', async () => {
  const node = await tempNetns()
  const pod = await tempNetns()
  return {
    node,
    pod,
    open: openRtnl,
    async [Symbol.asyncDispose]() {
      await pod[Symbol.asyncDispose]()
      await node[Symbol.asyncDispose]()
    },
  }
})
