import type { Result } from '@cni/types'
import type { Context } from '../context.ts'
import type { Exchange } from '../model.ts'
import { kernelOf } from '../world/kernel.ts'
import type { Pod } from '../world/pod.ts'

/** Reports interfaces, addresses and routes of a plugin's result that do not exist in the pod's namespace. */
export async function compareWithPod(ctx: Context, pod: Pod, exchange: Exchange, result: Result): Promise<void> {
  const kernel = await kernelOf(pod.netns)
  const interfaces = result.interfaces ?? []
  const why = 'Runtimes, later plugins and CHECK take the result for the truth.'
  for (const { name, mac, sandbox } of interfaces) {
    if (sandbox !== pod.netns.path) continue
    const link = kernel.link(name)
    if (link === undefined) ctx.violation(`the result lists the interface ${name}, the pod has none`, why, exchange)
    else if (mac && link.mac !== undefined && mac.toLowerCase() !== link.mac) {
      ctx.violation(`the result says ${name} has the address ${mac}, it has ${link.mac}`, why, exchange)
    }
  }
  const unbound: string[] = []
  for (const { address, interface: index } of result.ips ?? []) {
    if (index === undefined || index < 0) {
      unbound.push(address)
    } else if (index >= interfaces.length) {
      ctx.violation(`ips: ${address} refers to interface ${index}, there are ${interfaces.length}`, why, exchange)
    } else if (interfaces[index]?.sandbox === pod.netns.path && !kernel.hasAddress(address)) {
      ctx.advice(`the result lists the address ${address}, the pod does not have it`, why, exchange)
    }
  }
  // Only notes addresses without an interface, because an IPAM plugin does not configure the pod.
  if (unbound.length > 0) ctx.note(`addresses of no interface, not looked for in the pod: ${unbound.join(', ')}`)
  if (!interfaces.some(({ sandbox }) => sandbox === pod.netns.path)) return
  for (const route of result.routes ?? []) {
    if (kernel.hasRoute(route, route.table || undefined)) continue
    const by = route.gw === undefined ? '' : ` by ${route.gw}`
    ctx.advice(`the result lists the route to ${route.dst}${by}, the pod does not have it`, why, exchange)
  }
}
