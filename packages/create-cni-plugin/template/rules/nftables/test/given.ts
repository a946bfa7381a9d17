import type { Netns } from '@cni/netns'
import { openNft } from '@cni/nftables/wire'
import { example, tearDown } from '../src/rules.ts'

/** A valid configuration of the plugin, for tests. */
export const conf = example
/** An invalid configuration of the plugin, and the error message that tests expect. */
export const wrong = { conf: { port: '80;' }, msg: 'port: expected an integer from 1 to 65535, got "80;"' }

/** Removes the plugin's table from a pod, as another program could. CHECK must then fail. */
export const tamper = (pod: Netns) => tearDown(pod)

/** Lists the plugin's nftables table in a pod. */
export async function seen(pod: Netns) {
  using nft = openNft(pod)
  return nft.tables()
}
