import { nftables } from '@cni/nftables'
import { fakeKernel } from '@cni/nftables/testing'
import { describe } from 'vitest'
import { watchBehaviour } from '../../test/trace/watch.suite.ts'

describe('changes of the fake', () => {
  watchBehaviour(async () => {
    const kernel = fakeKernel()
    const nft = kernel.open()
    const sockets = { nft: kernel.open(), events: kernel.nfnetlink({ events: true }) }
    return {
      ...{ where: 'host', nft, tables: nftables('host', { nft }) },
      listening: { sockets, interval: 1 },
      [Symbol.asyncDispose]: async () => nft.close(),
    }
  })
})
