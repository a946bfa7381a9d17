import type { Netns } from '@cni/netns'
import { openNft } from '@cni/nftables/wire'
import { example, tearDown } from '../src/rules.ts'

/** A configuration that works. */
export const conf = example
/** One that does not, and what is said about it. */
export const wrong = { conf: { port: '80;' }, msg: 'port: expected an integer from 1 to 65535, got "80;"' }

/** Somebody removes what the plugin wrote. */
export const tamper = (pod: Netns) => tearDown(pod)

/** What is there of the plugin's in a pod. */
export async function seen(pod: Netns) {
  using nft = openNft(pod)
  return nft.tables()
}
