import { isSameTbf, type NetnsTarget, openRtnl, type Qdisc, type RtnlPort, tbf } from '@cni/netns'
import type { Netns } from '@cni/netns/handle'
import {
  type AttachmentContext,
  attachmentName,
  definePlugin,
  netConf,
  type RuntimeConfig,
  runtimeConfig,
} from '@cni/skel'
import { CniError } from '@cni/types'

const ifbOf = (c: AttachmentContext): string => attachmentName(c, 'bw', 15)

/** Returns the parameters of a token bucket filter. Returns `undefined` if the rate is 0, which means no limit. */
function limit(bitsPerSecond: number, burstBits: number): NonNullable<Qdisc['tbf']> | undefined {
  return bitsPerSecond === 0 ? undefined : tbf({ bitsPerSecond, burstBits })
}

function limits({ ingressRate, ingressBurst, egressRate, egressBurst }: RuntimeConfig['bandwidth']) {
  return { ingress: limit(ingressRate, ingressBurst), egress: limit(egressRate, egressBurst) }
}

/** Finds the node's end of the pod's veth pair. */
async function nodeEnd(netns: Netns, ifName: string) {
  using pod = await openRtnl(netns)
  const { parent: link, kind, mtu } = (await pod.getLink(ifName)) ?? {}
  if (link === undefined || kind !== 'veth') throw new CniError(100, `${ifName} is not a veth`)
  return { link, mtu }
}

async function removeIfb(node: RtnlPort, ifb: string, link?: number): Promise<void> {
  if ((await node.getLink(ifb)) === undefined) return
  if (link !== undefined) await node.deleteRedirect({ link, to: ifb })
  await node.deleteLink(ifb)
}

function checkTbf(qdiscs: readonly Qdisc[], wanted: NonNullable<Qdisc['tbf']> | undefined, what: string): void {
  const there = qdiscs.find(({ kind }) => kind === 'tbf')?.tbf
  const isRight = wanted === undefined || there === undefined ? there === wanted : isSameTbf(there, wanted)
  if (!isRight) throw new CniError(100, `${what}: tbf is ${JSON.stringify(there)}, not ${JSON.stringify(wanted)}`)
}

/** Limits a pod's bandwidth in both directions. Sets the limits on the node's end of the pod's veth pair. */
export const bandwidth = (nodeNetns: NetnsTarget = 'host') =>
  definePlugin({
    name: 'small-bandwidth',
    chained: true,
    config: netConf({ runtimeConfig: runtimeConfig('bandwidth') }),
    async add(c) {
      const { ingress, egress } = limits(c.conf.runtimeConfig.bandwidth)
      const { link, mtu } = await nodeEnd(c.netns, c.ifName)
      const ifb = ifbOf(c)
      using node = await openRtnl({ ...c, netns: nodeNetns })
      if (ingress) await node.replaceQdisc({ kind: 'tbf', link, tbf: ingress })
      else await node.deleteQdisc({ kind: 'tbf', link })
      if (!egress) {
        await removeIfb(node, ifb, link)
        return c.prevResult
      }
      // Redirects incoming packets to an ifb device, because the kernel limits only outgoing packets.
      await node.addLink({ kind: 'ifb', name: ifb, mtu, up: true })
      await node.replaceQdisc({ kind: 'tbf', link: ifb, tbf: egress })
      const hasIngress = (await node.getQdiscs({ link })).some(({ parent }) => parent === 'ingress')
      if (!hasIngress) await node.addQdisc({ kind: 'ingress', link })
      await node.addRedirect({ link, to: ifb })
      return c.prevResult
    },
    async check(c) {
      const { ingress, egress } = limits(c.conf.runtimeConfig.bandwidth)
      const { link } = await nodeEnd(c.netns, c.ifName)
      using node = await openRtnl(nodeNetns)
      checkTbf(await node.getQdiscs({ link }), ingress, `to ${c.ifName}`)
      const ifb = await node.getLink(ifbOf(c))
      checkTbf(ifb === undefined ? [] : await node.getQdiscs({ link: ifb.index }), egress, `from ${c.ifName}`)
      const isRedirected = (await node.getRedirects({ link })).some(({ to }) => to === ifb?.index)
      if (egress && !isRedirected) throw new CniError(100, `from ${c.ifName}: no redirection to ${ifbOf(c)}`)
    },
    async del(c) {
      using node = await openRtnl(nodeNetns)
      // removes only the ifb device: the kernel deletes the pod's other limits together with the veth pair
      await removeIfb(node, ifbOf(c))
    },
  })
