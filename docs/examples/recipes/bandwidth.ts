import { type NetnsTarget, openRtnl } from '@cni/netns'
import { type AttachmentContext, attachmentName, definePlugin, netConf } from '@cni/skel'
import { runtimeConfig } from '@cni/skel/capabilities'
import { CniError } from '@cni/types'

const tbf = (bitsPerSecond: number, burst: number) => ({ bitsPerSecond, burstBytes: Math.ceil(burst / 8), latency: 25 })
const ifbOf = (c: AttachmentContext): string => attachmentName(c, 'bw', 15)

/** How much a pod may receive and send, in bits: the node's end of its veth holds it back. */
export const bandwidth = (nodeNetns: NetnsTarget = 'host') =>
  definePlugin({
    name: 'small-bandwidth',
    chained: true,
    config: netConf({ runtimeConfig: runtimeConfig('bandwidth') }),
    async add(c) {
      const { ingressRate, ingressBurst, egressRate, egressBurst } = c.conf.runtimeConfig.bandwidth
      using pod = await openRtnl(c)
      using node = await openRtnl({ ...c, netns: nodeNetns })
      const { parent: link, kind, mtu } = (await pod.getLink(c.ifName)) ?? {}
      if (link === undefined || kind !== 'veth') throw new CniError(100, `${c.ifName} is no veth`)
      if (ingressRate > 0) await node.addQdisc({ kind: 'tbf', link, tbf: tbf(ingressRate, ingressBurst) })
      if (egressRate === 0) return c.prevResult
      // What comes in cannot be held back; what leaves another link can.
      await node.addLink({ kind: 'ifb', name: ifbOf(c), mtu, up: true })
      await node.addQdisc({ kind: 'tbf', link: ifbOf(c), tbf: tbf(egressRate, egressBurst) })
      await node.addQdisc({ kind: 'ingress', link })
      await node.addRedirect({ link, to: ifbOf(c) })
      return c.prevResult
    },
    async del(c) {
      using node = await openRtnl(nodeNetns)
      await node.deleteLink(ifbOf(c)) // the rest goes with the veth
    },
  })
