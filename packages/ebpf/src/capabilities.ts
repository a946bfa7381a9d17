import type { Kernel } from './kernel.ts'

// Numbers of capabilities, from <linux/capability.h>.
const NUMBERS = { CAP_NET_ADMIN: 12, CAP_SYS_ADMIN: 21, CAP_BPF: 39 } as const

/** Name of a Linux capability. */
export type Capability = keyof typeof NUMBERS

/**
 * Capabilities that an operation needs, as a list of alternatives. The process needs all capabilities of one
 * alternative.
 */
export type Needed = readonly (readonly Capability[])[]

export const FOR_MAPS: Needed = [['CAP_BPF'], ['CAP_SYS_ADMIN']]
export const FOR_PROGRAMS: Needed = [['CAP_BPF', 'CAP_NET_ADMIN'], ['CAP_SYS_ADMIN']]
export const FOR_FILTERS: Needed = [['CAP_NET_ADMIN']]
export const FOR_MOUNTS: Needed = [['CAP_SYS_ADMIN']]

/** Text for an error message: the capabilities that the process lacks for an operation. */
export function missingCapability(kernel: Pick<Kernel, 'capabilities'>, needed: Needed): string {
  const effective = kernel.capabilities()
  const lacking = needed.map((list) => list.filter((name) => ((effective >> BigInt(NUMBERS[name])) & 1n) === 0n))
  if (lacking.some((list) => list.length === 0)) {
    return 'the process has the capabilities; a user namespace, seccomp or a security module refuses it, or, before Linux 5.11, RLIMIT_MEMLOCK'
  }
  return `this process lacks ${lacking.map((list) => list.join(' and ')).join(', or ')}`
}
