import { attachFilter, detachFilter, ebpf, findFilter } from '@cni/ebpf'
import { type NetnsTarget, openRtnl } from '@cni/netns'
import { type AttachmentContext, definePlugin, netConf } from '@cni/skel'
import { CniError } from '@cni/types'
import * as z from 'zod/mini'

const name = 'small-ebpf'

/** Finds the interface index of the node's end of the pod's veth pair. */
async function nodeEnd({ netns, ifName }: AttachmentContext & { readonly netns: NetnsTarget }): Promise<number> {
  using pod = await openRtnl(netns)
  const { parent, kind } = (await pod.getLink(ifName)) ?? {}
  if (parent === undefined || kind !== 'veth') throw new CniError(100, `${ifName} is no veth`)
  return parent
}

/** Attaches an eBPF program, which another process has pinned, to a pod's outgoing packets. */
export const pinnedProgram = (node: NetnsTarget = 'host') =>
  definePlugin({
    name,
    chained: true,
    config: netConf({ program: z.string() }),
    async add(c) {
      using program = ebpf().openProgram(c.conf.program)
      using rtnl = await openRtnl({ ...c, netns: node })
      await attachFilter(rtnl, { link: await nodeEnd(c), direction: 'ingress', program, name })
      return c.prevResult
    },
    async check(c) {
      using program = ebpf().openProgram(c.conf.program)
      using rtnl = await openRtnl(node)
      const filter = await findFilter(rtnl, { link: await nodeEnd(c), direction: 'ingress', name })
      const id = filter?.program?.id
      if (id !== program.id) throw new CniError(100, `program ${id ?? 'none'} is attached, not ${program.id}`)
    },
    async del({ netns, ...c }) {
      // no namespace in this DEL: the kernel has already deleted the filter together with the veth pair
      if (netns === undefined) return
      using rtnl = await openRtnl(node)
      await detachFilter(rtnl, { link: await nodeEnd({ ...c, netns }), direction: 'ingress', name })
    },
  })
