import { iptables } from '@cni/iptables'
import type { Netns } from '@cni/netns'
import { example } from '../src/rules.ts'

/** A valid configuration of the plugin, for tests. */
export const conf = example
/** An invalid configuration of the plugin, and the error message that tests expect. */
export const wrong = { conf: { port: '80;' }, msg: 'port: expected an integer from 1 to 65535, got "80;"' }

/** Removes the plugin's rules from a pod, as another program could. CHECK must then fail. */
export const tamper = async (pod: Netns) => void (await iptables(pod).removeChains('@CHAIN@_'))

/** Lists the plugin's iptables rules in a pod. */
export const seen = async (pod: Netns) =>
  (await iptables(pod).save('ipv4')).split('\n').filter((line) => line.includes('@CHAIN@_'))
