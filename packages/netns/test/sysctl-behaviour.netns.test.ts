import { sysctl } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { sysctlBehaviour } from './sysctl.suite.ts'

sysctlBehaviour('the kernel', async () => {
  const where = await tempNetns()
  return { where, open: sysctl, [Symbol.asyncDispose]: () => where[Symbol.asyncDispose]() }
})
