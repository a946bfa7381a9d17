import { nftables } from '@cni/nftables'
import { base, chain, nftRuleset } from '@cni/nftables/rules'
import { definePlugin, netConf } from '@cni/skel'
import * as z from 'zod/mini'

/** Redirects outgoing TCP of a pod to a local port, except for one user: the proxy. */
export const redirectTo = (port: number, uid: number) =>
  nftRuleset('inet', { 'hello-nft': { output: base('nat', 'output', -100), redirect: chain } }, (t) => [
    t['hello-nft'].on('output').skuid(uid).return(),
    t['hello-nft'].on('output').oifname().not('lo').l4proto('tcp').counter().jump('redirect'),
    t['hello-nft'].on('redirect').l4proto('tcp').redirect(port).comment('to the proxy'),
  ])

/** Complete chained plugin with ADD, CHECK and DEL, which writes nftables rules. The node needs no program for this. */
export const plugin = definePlugin({
  name: 'hello-nft',
  chained: true,
  config: netConf({ port: z.int().check(z.positive()), exempt_uid: z._default(z.int(), 1337) }),
  async add(c) {
    await nftables(c).apply(redirectTo(c.conf.port, c.conf.exempt_uid))
    return c.prevResult
  },
  async check(c) {
    await nftables(c).verify(redirectTo(c.conf.port, c.conf.exempt_uid))
  },
  async del(c) {
    if (c.netns) await nftables(c).remove({ tables: [{ family: 'inet', name: 'hello-nft' }] })
  },
})
