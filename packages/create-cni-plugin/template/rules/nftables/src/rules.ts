import { nftables, type Where } from '@cni/nftables'
import { base, chain, nftRuleset } from '@cni/nftables/rules'
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

/** nftables rules that redirect the pod's outgoing TCP, except the proxy's. Only this plugin uses the table. */
export const rules = ({ port, proxy_uid }: Settings) =>
  nftRuleset('inet', { '@NAME@': { output: base('nat', 'output', -100), redirect: chain } }, (t) => [
    t['@NAME@'].on('output').skuid(proxy_uid).return(),
    t['@NAME@'].on('output').oifname().not('lo').l4proto('tcp').counter().jump('redirect'),
    t['@NAME@'].on('redirect').l4proto('tcp').redirect(port).comment('to the proxy'),
  ])

/** Writes the plugin's nftables table into a pod, in one transaction. */
export const setUp = async (pod: Where, conf: Settings) => void (await nftables(pod).apply(rules(conf)))

/** Throws an error with code 100 if the pod's table differs from the table that {@link setUp} writes. */
export const verify = (pod: Where, conf: Settings) => nftables(pod).verify(rules(conf))

/** Removes the plugin's nftables table from a pod. A missing table is not an error. */
export const tearDown = async (pod: Where, _conf?: Settings) =>
  void (await nftables(pod).remove({ tables: [{ family: 'inet', name: '@NAME@' }] }))
