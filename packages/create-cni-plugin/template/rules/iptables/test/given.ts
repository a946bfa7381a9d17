import { iptables } from '@cni/iptables'
import type { Netns } from '@cni/netns'
import { example } from '../src/rules.ts'

/** A valid configuration. */
export const conf = example
/** An invalid configuration, and its error message. */
export const wrong = { conf: { port: '80;' }, msg: 'port: expected an integer from 1 to 65535, got "80;"' }

/** Removes the plugin's rules, like another program. */
export const tamper = async (pod: Netns) => void (await iptables(pod).removeChains('@CHAIN@_'))

/** Lists the plugin's rules in a pod. */
export const seen = async (pod: Netns) =>
  (await iptables(pod).save('ipv4')).split('\n').filter((line) => line.includes('@CHAIN@_'))
