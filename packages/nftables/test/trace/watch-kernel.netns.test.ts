import { tempNetns } from '@cni/netns/testing'
import { nftables } from '@cni/nftables'
import { openNft } from '@cni/nftables/wire'
import { describe } from 'vitest'
import { watchBehaviour } from './watch.suite.ts'

describe.each([
  ['with events of the descriptor', {}],
  ['with polling', { interval: 1 }],
])('changes in the kernel, %s', (_, listening) => {
  watchBehaviour(async () => {
    const pod = await tempNetns()
    const nft = openNft(pod)
    return {
      ...{ where: pod, nft, tables: nftables(pod), listening },
      async [Symbol.asyncDispose]() {
        nft.close()
        await pod[Symbol.asyncDispose]()
      },
    }
  })
})
