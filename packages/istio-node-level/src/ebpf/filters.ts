import { attachFilter, detachFilter, findFilter } from '@cni/ebpf'
import type { RtnlPort } from '@cni/netns'
import type { Objects, Variant } from '../objects/objects.ts'
import type { ProgramName } from '../programs/programs.ts'
import type { Step } from '../step.ts'

/** eBPF program by name, and the direction of packets for which the program runs on a link. */
interface Hook {
  readonly name: ProgramName
  readonly direction: 'ingress' | 'egress'
}

/** eBPF programs to attach to the node's end of a pod's veth. */
export const podHooks: readonly Hook[] = [
  { name: 'app_inbound', direction: 'egress' },
  { name: 'app_outbound', direction: 'ingress' },
]
/** eBPF programs to attach to the node's end of ztunnel's veth. */
export const ztunnelHooks: readonly Hook[] = [{ name: 'ztunnel_host_ingress', direction: 'ingress' }]
/** eBPF programs to attach to the end of ztunnel's veth in ztunnel's own namespace. */
export const insideHooks = (variant: Variant): readonly Hook[] => [
  { name: variant === 'tproxy' ? 'ztunnel_tproxy' : 'ztunnel_ingress', direction: 'ingress' },
]
/** eBPF programs that this package may attach to links in the node's namespace. */
export const nodeHooks: readonly Hook[] = [...podHooks, ...ztunnelHooks]

/** Returns steps that attach missing eBPF programs to a link as tc filters. Filters of other software stay. */
export async function hookSteps(
  rtnl: RtnlPort,
  link: number,
  hooks: readonly Hook[],
  { programs }: Pick<Objects, 'programs'>,
): Promise<Step[]> {
  const steps: Step[] = []
  for (const { name, direction } of hooks) {
    const program = programs.get(name)
    if (program === undefined) throw new Error(`Program ${name} is not open`)
    const there = await findFilter(rtnl, { link, name, direction })
    if (there?.program?.id === program.id) continue
    const what = `${there === undefined ? 'missing' : 'another'} program ${name} on link ${link}`
    steps.push({ what, run: () => attachFilter(rtnl, { link, direction, program, name }) })
  }
  return steps
}

/** Detaches the eBPF programs of this package from a link. Filters of other software stay. */
export async function unhook(rtnl: RtnlPort, link: number, hooks: readonly Hook[]): Promise<void> {
  for (const { name, direction } of hooks) await detachFilter(rtnl, { link, name, direction })
}
