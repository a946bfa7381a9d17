import { nftables } from '@cni/nftables'
import { fakeKernel } from '@cni/nftables/testing'
import { worldOver } from '../../test/ruleset/world.ts'
import { rulesetBehaviour } from '../../test/ruleset.suite.ts'

rulesetBehaviour('rulesets in the fake', async () => {
  const kernel = fakeKernel()
  const nft = kernel.open()
  return worldOver(kernel.open(), (context) => nftables({ ...context, netns: 'host' }, { nft }))
})
