import { iptables, ruleset, type Where } from '@cni/iptables'
import * as z from 'zod/mini'

/** Schema of the plugin's own members in the network configuration. */
export const settings = {
  port: z.int().check(z.gte(1), z.lte(65535)),
  proxy_uid: z._default(z.int().check(z.nonnegative()), 1337),
}
/** Example configuration of the plugin, for tests and the agent. */
export const example = { port: 15001 }
export interface Settings {
  readonly port: number
  readonly proxy_uid: number
}

const loopback = { ipv4: '127.0.0.1/32', ipv6: '::1/128' }

/** iptables rules that redirect the pod's outgoing TCP, except the proxy's. */
export const rules = ({ port, proxy_uid }: Settings) =>
  ruleset({ nat: ['@CHAIN@_OUTPUT'] }, (t) => [
    t.nat.on('OUTPUT').proto('tcp').jump('@CHAIN@_OUTPUT'),
    t.nat.on('@CHAIN@_OUTPUT').uid(proxy_uid).return(),
    t.nat.on('@CHAIN@_OUTPUT').not.dst(loopback).proto('tcp').redirect(port),
  ])

/** Writes the plugin's iptables rules into a pod. On failure, rolls back all changes. */
export const setUp = async (pod: Where, conf: Settings) => void (await iptables(pod).apply(rules(conf)))

/** Throws an error with code 100 if the pod's rules differ from the rules that {@link setUp} writes. */
export const verify = (pod: Where, conf: Settings) => iptables(pod).verify(rules(conf))

/** Removes the plugin's iptables rules from a pod. Missing rules are not an error. */
export const tearDown = async (pod: Where, _conf?: Settings) => void (await iptables(pod).removeChains('@CHAIN@_'))
