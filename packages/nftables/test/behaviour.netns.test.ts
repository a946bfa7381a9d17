import { channelOver, NETLINK_NETFILTER, openNetlinkSocket } from '@cni/netns/netlink'
import { tempNetns } from '@cni/netns/testing'
import { nftOver, openCommits, openNft } from '@cni/nftables/wire'
import { behaviour } from './behaviour.suite.ts'

behaviour('the kernel', async () => {
  const pod = await tempNetns()
  const nft = openNft(pod)
  return {
    nft,
    other: (receiveBuffer) =>
      receiveBuffer === undefined
        ? openNft(pod)
        : nftOver(channelOver(openNetlinkSocket(pod, NETLINK_NETFILTER, { receiveBuffer }))),
    listen: (receiveBuffer) => openCommits(pod, receiveBuffer === undefined ? {} : { receiveBuffer }),
    async [Symbol.asyncDispose]() {
      nft.close()
      await pod[Symbol.asyncDispose]()
    },
  }
})
