import { nftables } from '@cni/nftables'
import { fakeKernel } from '@cni/nftables/testing'
import { worldOver } from '../../test/ruleset/world.ts'
import { rulesetBehaviour } from '../../test/ruleset.suite.ts'

rulesetBehaviour('rulesets in the fake', async () => {
  const kernel = fakeKernel()
  // A large buffer: the fake fills it at once, while a kernel fills it during reading.
  const nft = kernel.open({ receiveBuffer: 100_000_000 })
  return worldOver(kernel.open(), (context) => nftables({ ...context, netns: 'host' }, { nft }))
})
