import { createHash } from 'node:crypto'
import { type NetnsTarget, openRtnl } from '@cni/netns'
import { definePlugin, netConf } from '@cni/skel'
import { CniError } from '@cni/types'
import * as z from 'zod/mini'

const bits = z.int().check(z.positive())
const limits = z.object({ ingressRate: bits, ingressBurst: bits, egressRate: bits, egressBurst: bits })
const tbf = (bitsPerSecond: number, burst: number) => ({ bitsPerSecond, burstBytes: Math.ceil(burst / 8), latency: 25 })
const ifbOf = (id: string, ifName: string): string =>
  `bw${createHash('sha256').update(`${id}\0${ifName}`).digest('hex').slice(0, 12)}`

/** How much a pod may receive and send, in bits: the node's end of its veth holds it back. */
export const bandwidth = (nodeNetns: NetnsTarget = 'host') =>
  definePlugin({
    name: 'small-bandwidth',
    chained: true,
    config: netConf({ runtimeConfig: z.optional(z.looseObject({ bandwidth: z.optional(limits) })) }),
    async add(c) {
      const wanted = c.conf.runtimeConfig?.bandwidth
      if (wanted === undefined) return c.prevResult
      using pod = await openRtnl(c)
      using node = await openRtnl({ ...c, netns: nodeNetns })
      const { parent: link, kind, mtu } = (await pod.getLink(c.ifName)) ?? {}
      if (link === undefined || kind !== 'veth') throw new CniError(100, `${c.ifName} is no veth`)
      await node.addQdisc({ kind: 'tbf', link, tbf: tbf(wanted.ingressRate, wanted.ingressBurst) })
      // What comes in cannot be held back; what leaves another link can.
      const ifb = ifbOf(c.containerID, c.ifName)
      await node.addLink({ kind: 'ifb', name: ifb, mtu, up: true })
      await node.addQdisc({ kind: 'tbf', link: ifb, tbf: tbf(wanted.egressRate, wanted.egressBurst) })
      await node.addQdisc({ kind: 'ingress', link })
      await node.addRedirect({ link, to: ifb })
      return c.prevResult
    },
    async del(c) {
      using node = await openRtnl(nodeNetns)
      await node.deleteLink(ifbOf(c.containerID, c.ifName)) // the rest goes with the veth
    },
  })
