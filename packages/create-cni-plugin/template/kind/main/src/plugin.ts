import { createHash } from 'node:crypto'
import { type DelegateOptions, ipam } from '@cni/invoke'
import { type NetnsTarget, openRtnl } from '@cni/netns'
import { attachmentState, definePlugin, netConf } from '@cni/skel'
import { assignInterface, CniError, ErrorCode, mergeResults, type Result } from '@cni/types'
import * as z from 'zod/mini'
import { settings, setUp, tearDown, verify } from './rules.ts'

/** Dependencies of the plugin, which tests replace: a network namespace and an IPAM plugin. */
export interface Place {
  readonly node: NetnsTarget
  readonly delegates: DelegateOptions
}

/** Main plugin: creates a veth pair between pod and node. An IPAM plugin provides the addresses. */
export const plugin = ({ node, delegates }: Place = { node: 'host', delegates: {} }) =>
  definePlugin({
    name: '@NAME@',
    removal: 'last', // all interfaces of a pod share the rules: only the DEL of the last interface removes them
    config: netConf({ ...settings, ipam: z.looseObject({ type: z.string() }) }),
    // records the veth's name for GC, because a GC call contains no data about deleted attachments
    state: attachmentState(z.object({ cable: z.string() })),
    async add(c) {
      using pod = await openRtnl(c)
      using onNode = await openRtnl({ ...c, netns: node })
      // Rejects an existing interface before leasing: a later failure would release that interface's address.
      if (await pod.getLink(c.ifName))
        throw new CniError(ErrorCode.internal, `the pod has an interface ${c.ifName} already`)
      const cable = cableOf(c)
      c.state.write({ cable })
      const leased = await ipam(c, delegates).add()
      await onNode.addLink({ kind: 'veth', name: cable, up: true, peer: { name: c.ifName, netns: c.netns, up: true } })
      for (const { address, gateway } of endsOf(leased)) {
        const noDad = address.includes(':')
        await onNode.addAddress({ link: cable, cidr: gateway, noDad })
        await onNode.addRoute({ cidr: address, link: cable })
        await pod.addAddress({ link: c.ifName, cidr: address, noDad })
        await pod.addRoute({ cidr: gateway, link: c.ifName })
        await pod.addRoute({
          cidr: noDad ? '::/0' : '0.0.0.0/0',
          gateway: gateway.replace(/\/\d+$/, ''),
          link: c.ifName,
        })
      }
      await setUp(c, c.conf)

      const { mac: nodeMac = '' } = (await onNode.getLink(cable)) ?? {}
      const { mac = '' } = (await pod.getLink(c.ifName)) ?? {}
      const interfaces = [
        { name: cable, mac: nodeMac },
        { name: c.ifName, mac, sandbox: c.netns.path },
      ]
      const ips = (leased.ips ?? []).map((ip) => ({ ...ip, address: alone(ip.address) }))
      return assignInterface(mergeResults(c.prevResult ?? {}, { interfaces }, { ...leased, ips }), c.ifName)
    },
    async check(c) {
      await ipam(c, delegates).check()
      using pod = await openRtnl(c.netns)
      using onNode = await openRtnl(node)
      const links = [
        { where: 'pod', name: c.ifName, link: await pod.getLink(c.ifName) },
        { where: 'node', name: cableOf(c), link: await onNode.getLink(cableOf(c)) },
      ]
      for (const { where, name, link } of links) {
        if (!link?.up) throw new CniError(100, `${where}: ${name} is ${link ? 'down' : 'missing'}`)
      }
      const there = (await pod.getAddresses({ link: c.ifName })).map(({ cidr }) => cidr)
      const own = c.prevResult?.interfaces?.findIndex(({ name, sandbox }) => name === c.ifName && sandbox)
      const lost = (c.prevResult?.ips ?? []).filter((ip) => ip.interface === own && !there.includes(ip.address))
      if (lost.length > 0) throw new CniError(100, `pod: ${lost.map(({ address }) => address).join(', ')} is missing`)
      await verify(c, c.conf)
    },
    async del(c) {
      if (c.netns) await tearDown(c, c.conf)
      using onNode = await openRtnl(node)
      await onNode.deleteLink(cableOf(c))
      await ipam(c, delegates).del()
    },
    async gc(c) {
      const stale = c.state.stale()
      using onNode = await openRtnl(node)
      for (const { state } of stale) await onNode.deleteLink(state.cable)
      if ((await ipam(c, delegates).gc()).kind === 'done') return
      // Calls DEL for each stale attachment, because the IPAM plugin does not support GC.
      for (const { containerID, ifName } of stale) {
        const env = { ...c.env, CNI_CONTAINERID: containerID, CNI_IFNAME: ifName, CNI_NETNS: '' }
        await ipam({ ...c, env }, delegates).del()
      }
    },
    async status(c) {
      await ipam(c, delegates).status()
    },
  })

interface Attachment {
  readonly networkName: string
  readonly containerID: string
  readonly ifName: string
}

/** Name of the veth's end on the node. Contains a hash, because the kernel limits the length of names. */
export function cableOf({ networkName, containerID, ifName }: Attachment) {
  const digest = createHash('sha256').update(`${networkName}\0${containerID}\0${ifName}`).digest('hex')
  return `pod${digest.slice(0, 12)}`
}

/** Leased addresses with prefix length 32 or 128, because the node routes all the pod's traffic. */
export function endsOf({ ips = [] }: Result) {
  return ips.map(({ address, gateway }) => {
    if (gateway) return { address: alone(address), gateway: alone(gateway) }
    throw new CniError(ErrorCode.invalidNetworkConfig, `ipam: there is no gateway for the address ${address}`)
  })
}

const alone = (address: string) => `${address.split('/')[0]}/${address.includes(':') ? 128 : 32}`
