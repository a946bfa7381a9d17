import { readlinkSync } from 'node:fs'
import { channelFrom, openNetlinkSocket } from '@cni/netns/netlink'
import { tempNetns } from '@cni/netns/testing'
import { openCommits, openNft } from '@cni/nftables/wire'
import { expect } from 'vitest'
import { nftFrom } from '../src/wire/nft.ts'
import { behaviour } from './behaviour.suite.ts'

// The kernel reports pids of the initial PID namespace. This inode number identifies it.
const pid = readlinkSync('/proc/self/ns/pid') === 'pid:[4026531836]' ? process.pid : expect.any(Number)

behaviour('the kernel', async () => {
  const pod = await tempNetns()
  const nft = openNft(pod)
  return {
    nft,
    pid,
    other: (receiveBuffer) =>
      receiveBuffer === undefined
        ? openNft(pod)
        : nftFrom(channelFrom(openNetlinkSocket(pod, 'netfilter', { receiveBuffer }))),
    listen: (receiveBuffer) => openCommits(pod, receiveBuffer === undefined ? {} : { receiveBuffer }),
    async [Symbol.asyncDispose]() {
      nft.close()
      await pod[Symbol.asyncDispose]()
    },
  }
})
