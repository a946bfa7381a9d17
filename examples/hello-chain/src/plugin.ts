import { iptables, ruleset } from '@cni/iptables'
import { definePlugin, netConf } from '@cni/skel'
import * as z from 'zod/mini'

const loopback = { ipv4: '127.0.0.1/32', ipv6: '::1/128' }

/** Redirects outgoing TCP of a pod to a local port, except for one user: the proxy. */
export const redirectTo = (port: number, uid: number) =>
  ruleset({ nat: ['EX_OUTPUT', 'EX_REDIRECT'] }, (t) => [
    t.nat.on('OUTPUT').proto('tcp').jump('EX_OUTPUT'),
    t.nat.on('EX_OUTPUT').uid(uid).return(),
    t.nat.on('EX_OUTPUT').not.dst(loopback).jump('EX_REDIRECT'),
    t.nat.on('EX_REDIRECT').proto('tcp').redirect(port),
  ])

/** Complete chained plugin with ADD, CHECK and DEL, which writes iptables rules. */
export const plugin = definePlugin({
  name: 'hello-chain',
  chained: true,
  config: netConf({ port: z.int().check(z.positive()), exempt_uid: z.optional(z.int()) }),
  async add(c) {
    await iptables(c).apply(redirectTo(c.conf.port, c.conf.exempt_uid ?? 1337))
    return c.prevResult
  },
  async check(c) {
    await iptables(c).verify(redirectTo(c.conf.port, c.conf.exempt_uid ?? 1337))
  },
  async del(c) {
    if (c.netns) await iptables(c).removeChains('EX_')
  },
})
