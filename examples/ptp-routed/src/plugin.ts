import { type DelegateOptions, ipam, ipamType } from '@cni/invoke'
import { type NetnsTarget, openRtnl, sysctl } from '@cni/netns'
import { definePlugin, netConf } from '@cni/skel'
import { attachmentState } from '@cni/skel/state'
import { assignInterface, CniError, ErrorCode, mergeResults, type Result } from '@cni/types'
import * as z from 'zod/mini'
import { missingIn, otherSettings } from './inspect.ts'
import { hostLinkOf, planOf } from './plan.ts'

/** For tests: a node that is another namespace, IPAM plugins that are functions. */
export interface PtpRoutedOptions extends DelegateOptions {
  readonly node?: NetnsTarget
}

/** What differs from what ADD left: the code that plugins use for it. */
const NOT_AS_ADDED = 100

/** A pod on a cable of its own, to which the node has a route. */
export const ptpRouted = ({ node = 'host', ...delegates }: PtpRoutedOptions = {}) =>
  definePlugin({
    name: 'ptp-routed',
    about: 'Connects a pod with the node by a veth of its own and routes.',
    config: netConf({
      ipam: z.looseObject({ type: z.string() }),
      mtu: z.optional(z.int().check(z.gte(68), z.lte(65535))),
      sysctls: z._default(z.record(z.string(), z.string()), {}),
    }),
    state: attachmentState(z.object({ hostLink: z.string() })),

    async add(c) {
      const { mtu } = c.conf
      using inPod = await openRtnl(c)
      using onNode = await openRtnl({ ...c, netns: node })
      // Before the lease: its undoing would give up the address of the pod that is there.
      if (await inPod.getLink(c.ifName))
        throw new CniError(ErrorCode.internal, `the pod has an interface ${c.ifName} already`)
      const leased = await ipam(c, delegates).add()
      const hostLink = hostLinkOf(c.networkName, c.containerID, c.ifName)
      const { ips, pod, node: ofNode, hasIpv6 } = planOf(leased, c.ifName, hostLink)

      // First: a DEL after this process was killed has to find it.
      c.state.write({ hostLink })
      // Of an ADD that was killed; the pod does not have its other end.
      await onNode.deleteLink(hostLink)
      const peer = { name: c.ifName, netns: c.netns, mtu, up: true }
      await onNode.addLink({ kind: 'veth', name: hostLink, mtu, up: true, peer })
      if (hasIpv6) {
        await sysctl(c).set(`net/ipv6/conf/${c.ifName}/disable_ipv6`, false)
        await sysctl({ ...c, netns: node }).set(`net/ipv6/conf/${hostLink}/disable_ipv6`, false)
        await sysctl(node).set('net.ipv6.conf.all.forwarding', true)
      }
      // The node's, not this pod's: other pods rely on it, so that it is not taken back when this ADD fails.
      await sysctl(node).set('net.ipv4.ip_forward', true)
      for (const address of ofNode.addresses) await onNode.addAddress(address)
      for (const route of ofNode.routes) await onNode.addRoute(route)
      for (const address of pod.addresses) await inPod.addAddress(address)
      for (const route of pod.routes) await inPod.addRoute(route)
      for (const [name, value] of Object.entries(settingsOf(c))) await sysctl(c).set(name, value)

      const macs = [await onNode.getLink(hostLink), await inPod.getLink(c.ifName)].map((link) => link?.mac ?? '')
      const [nodeMac = '', podMac = ''] = macs
      const interfaces = [
        { name: hostLink, mac: nodeMac },
        { name: c.ifName, mac: podMac, sandbox: c.netns.path },
      ]
      return assignInterface(mergeResults(c.prevResult ?? {}, { interfaces }, { ...leased, ips }), c.ifName)
    },

    async check(c) {
      await ipam(c, delegates).check()
      const hostLink = c.state.read()?.hostLink ?? hostLinkOf(c.networkName, c.containerID, c.ifName)
      const { pod, node: ofNode } = planOf(ownPart(c.prevResult, c.ifName), c.ifName, hostLink)
      using inPod = await openRtnl(c.netns)
      using onNode = await openRtnl(node)
      const missing = [
        ...(await missingIn('pod', inPod, c.ifName, pod)),
        ...(await missingIn('node', onNode, hostLink, ofNode)),
        ...(await otherSettings(sysctl(c.netns), settingsOf(c))),
      ]
      if (missing.length === 0) return
      throw new CniError(NOT_AS_ADDED, `not as ADD left it: ${missing[0]}`, { details: missing.join('\n') })
    },

    async del(c) {
      const hostLink = c.state.read()?.hostLink
      if (hostLink !== undefined) await unplug(node, [hostLink])
      // Last: the address is for others once nobody answers for it.
      if (ipamType(c.raw) !== undefined) await ipam(c, delegates).del()
    },

    async gc(c) {
      const stale = c.state.stale()
      await unplug(
        node,
        stale.map(({ state }) => state.hostLink),
      )
      const { kind } = await ipam(c, delegates).gc()
      if (kind === 'done') return
      // An IPAM plugin from before GC is told of each attachment that we know to be gone.
      for (const { containerID, ifName } of stale) {
        const env = { ...c.env, CNI_CONTAINERID: containerID, CNI_IFNAME: ifName, CNI_NETNS: '' }
        await ipam({ ...c, env }, delegates).del()
      }
    },

    async status(c) {
      await ipam(c, delegates).status()
    },
  })

interface Configured {
  readonly ifName: string
  readonly conf: { readonly sysctls: Readonly<Record<string, string>> }
}

/** IFNAME in the name of a setting is the pod's interface. */
function settingsOf({ ifName, conf }: Configured): Record<string, string> {
  const entries = Object.entries(conf.sysctls)
  return Object.fromEntries(entries.map(([name, value]) => [name.replace('IFNAME', ifName), value]))
}

/** What of the chain's result is about our interface. */
function ownPart({ interfaces = [], ips = [], routes = [] }: Result = {}, ifName: string): Result {
  const index = interfaces.findIndex(({ name, sandbox }) => name === ifName && sandbox)
  return { ips: ips.filter((ip) => ip.interface === index), routes }
}

async function unplug(node: NetnsTarget, links: readonly string[]): Promise<void> {
  if (links.length === 0) return
  using onNode = await openRtnl(node)
  for (const link of links) await onNode.deleteLink(link)
}
