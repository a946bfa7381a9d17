import { attachFilter, detachFilter, findFilter } from '@cni/ebpf'
import type { RtnlPort } from '@cni/netns'
import type { Objects, Variant } from '../objects/objects.ts'
import type { ProgramName } from '../programs/programs.ts'
import type { Step } from '../step.ts'

/** A program on one side of a link; filters have the names of the pins. */
interface Hook {
  readonly name: ProgramName
  readonly direction: 'ingress' | 'egress'
}

/** On the node's end of a pod's link. */
export const podHooks: readonly Hook[] = [
  { name: 'app_inbound', direction: 'egress' },
  { name: 'app_outbound', direction: 'ingress' },
]
/** On the node's end of ztunnel's. */
export const ztunnelHooks: readonly Hook[] = [{ name: 'ztunnel_host_ingress', direction: 'ingress' }]
/** On ztunnel's own end. */
export const insideHooks = (variant: Variant): readonly Hook[] => [
  { name: variant === 'tproxy' ? 'ztunnel_tproxy' : 'ztunnel_ingress', direction: 'ingress' },
]
/** All that a node may have. */
export const nodeHooks: readonly Hook[] = [...podHooks, ...ztunnelHooks]

/** What brings programs onto a link, beside those of others. */
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

/** Takes programs off a link; those of others stay. */
export async function unhook(rtnl: RtnlPort, link: number, hooks: readonly Hook[]): Promise<void> {
  for (const { name, direction } of hooks) await detachFilter(rtnl, { link, name, direction })
}
