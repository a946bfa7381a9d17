import { iptables } from '@cni/iptables'
import type { Netns } from '@cni/netns'
import { example } from '../src/rules.ts'

/** A configuration that works. */
export const conf = example
/** One that does not, and what is said about it. */
export const wrong = { conf: { port: '80;' }, msg: 'port: expected an integer from 1 to 65535, got "80;"' }

/** Somebody removes what the plugin wrote. */
export const tamper = async (pod: Netns) => void (await iptables(pod).removeChains('@CHAIN@_'))

/** What is there of the plugin's in a pod. */
export const seen = async (pod: Netns) =>
  (await iptables(pod).save('ipv4')).split('\n').filter((line) => line.includes('@CHAIN@_'))
