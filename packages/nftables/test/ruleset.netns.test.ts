import { tempNetns } from '@cni/netns/testing'
import { nftables } from '@cni/nftables'
import { openNft } from '@cni/nftables/wire'
import { worldOver } from './ruleset/world.ts'
import { rulesetBehaviour } from './ruleset.suite.ts'

rulesetBehaviour('rulesets in the kernel', async () => {
  const pod = await tempNetns()
  return worldOver(
    openNft(pod),
    (context) => nftables({ ...context, netns: pod }),
    () => pod[Symbol.asyncDispose](),
  )
})
