import type { Netns } from '@cni/netns'
import { tempNetns } from '@cni/netns/testing'
import { type Nft, openNft } from '@cni/nftables/wire'
import { afterEach, beforeEach } from 'vitest'

/** Creates a temporary namespace with an open nf_tables socket for each test of a file. */
export function eachPod(): { readonly pod: Netns; readonly nft: Nft } {
  let pod: Netns & AsyncDisposable
  let nft: Nft
  beforeEach(async () => {
    pod = await tempNetns()
    nft = openNft(pod)
  })
  afterEach(async () => {
    nft.close()
    await pod[Symbol.asyncDispose]()
  })
  return {
    get pod() {
      return pod
    },
    get nft() {
      return nft
    },
  }
}
