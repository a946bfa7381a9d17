import { openRtnl, sysctl } from '@cni/netns'
import { attachmentState, definePlugin, netConf } from '@cni/skel'
import { CniError, changeInterface } from '@cni/types'
import * as z from 'zod/mini'

const link = z.partial(z.object({ mtu: z.int(), mac: z.string(), txqlen: z.int(), promisc: z.boolean() }))
const settings = z.record(z.string(), z.string())

/** Sets sysctls and link attributes of a pod's interface. DEL restores the original values. */
export const tuning = definePlugin({
  name: 'small-tuning',
  chained: true,
  config: netConf({ link: z._default(link, {}), sysctl: z._default(settings, {}) }),
  state: attachmentState(z.object({ link, sysctl: settings })),
  async add(c) {
    using rtnl = await openRtnl(c)
    const { mtu, mac, txqlen, promisc } = (await rtnl.getLink(c.ifName)) ?? {}
    const before: Record<string, string> = {}
    for (const name of Object.keys(c.conf.sysctl)) before[name] = (await sysctl(c).get(name)) ?? ''
    // Records the original values once, before any change. A second ADD would read changed values, so it records
    // nothing.
    if (c.state.read() === undefined) c.state.write({ link: { mtu, mac, txqlen, promisc }, sysctl: before })
    await rtnl.setLink(c.ifName, c.conf.link)
    for (const [name, value] of Object.entries(c.conf.sysctl)) await sysctl(c).set(name, value)
    const own = c.conf.link.mac
    return own === undefined ? c.prevResult : changeInterface(c.prevResult, c.ifName, { mac: own })
  },
  async check(c) {
    for (const [name, value] of Object.entries(c.conf.sysctl)) {
      const is = await sysctl(c.netns).get(name)
      if (is !== value) throw new CniError(100, `${name} is ${is}, not ${value}`)
    }
  },
  async del(c) {
    const before = c.state.read()
    if (before === undefined || c.netns === undefined) return
    using rtnl = await openRtnl(c.netns)
    if (await rtnl.getLink(c.ifName)) await rtnl.setLink(c.ifName, before.link)
    for (const [name, value] of Object.entries(before.sysctl)) {
      if ((await sysctl(c.netns).get(name)) !== undefined) await sysctl(c.netns).set(name, value)
    }
  },
})
