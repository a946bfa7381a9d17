import { iptables, ruleset } from '@cni/iptables'
import { definePlugin, netConf } from '@cni/skel'
import * as z from 'zod/mini'

const loopback = { ipv4: '127.0.0.1/32', ipv6: '::1/128' }

/** Redirects outgoing TCP of the pod to a port in the pod, except for the proxy's user. */
export const redirectTo = (port: number, proxyUid: number) =>
  ruleset({ nat: ['TR_OUTPUT'] }, (t) => [
    t.nat.on('OUTPUT').proto('tcp').jump('TR_OUTPUT'),
    t.nat.on('TR_OUTPUT').uid(proxyUid).return(),
    t.nat.on('TR_OUTPUT').not.dst(loopback).proto('tcp').redirect(port),
  ])

export const plugin = definePlugin({
  name: 'tcp-redirect',
  chained: true,
  config: netConf({ port: z.int().check(z.positive()), proxy_uid: z.int() }),
  async add(c) {
    await iptables(c).apply(redirectTo(c.conf.port, c.conf.proxy_uid))
    return c.prevResult
  },
  async check(c) {
    await iptables(c).verify(redirectTo(c.conf.port, c.conf.proxy_uid))
  },
  async del(c) {
    if (c.netns) await iptables(c).removeChains('TR_')
  },
})
