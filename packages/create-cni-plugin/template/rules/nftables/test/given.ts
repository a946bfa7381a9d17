import type { Netns } from '@cni/netns'
import { openNft } from '@cni/nftables/wire'
import { example, tearDown } from '../src/rules.ts'

/** A valid configuration. */
export const conf = example
/** An invalid configuration, and its error message. */
export const wrong = { conf: { port: '80;' }, msg: 'port: expected an integer from 1 to 65535, got "80;"' }

/** Removes the plugin's table, like another program. */
export const tamper = (pod: Netns) => tearDown(pod)

/** Lists the plugin's table in a pod. */
export async function seen(pod: Netns) {
  using nft = openNft(pod)
  return nft.tables()
}
