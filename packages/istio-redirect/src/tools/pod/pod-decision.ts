import type { FlagValues } from '@cni/host/cli'
import type { ToolIo } from '../io.ts'
import { type Decision, decide } from './decide.ts'
import type { podFlags } from './flags.ts'
import { readNetconf } from './read-netconf.ts'
import { readPod } from './read-pods.ts'

/** What the flags of a command line say about a pod, decided. */
export async function podDecision(
  io: ToolIo,
  { pod, name, netconf, address }: FlagValues<typeof podFlags>,
  addresses?: readonly string[],
): Promise<Decision & { readonly pod: string }> {
  const settings = await readNetconf(io, netconf)
  const document = await readPod(io, pod, name)
  const given = address === '' ? addresses : address.split(',')
  const decision = decide(io, document, { settings, addresses: given })
  return { ...decision, pod: `${document.namespace}/${document.name}` }
}
