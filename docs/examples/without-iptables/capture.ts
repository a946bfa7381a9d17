import { iptables, ruleset } from '@cni/iptables'
import type { Netns } from '@cni/netns'

const rules = ruleset({ nat: ['EX_OUTPUT'] }, ({ nat }) => [
  nat.on('OUTPUT').proto('tcp').jump('EX_OUTPUT'),
  nat.on('EX_OUTPUT').uid(1337).return(),
  nat.on('EX_OUTPUT').proto('tcp').redirect(15001),
])

/** Redirects a pod's outgoing TCP to a port in the pod, without starting programs. */
export async function capture(pod: Netns) {
  const tables = iptables(pod, { programs: 'never' })
  const { plan } = await tables.apply(rules) // writes the rules of both IP families in one transaction
  await tables.verify(rules)
  return plan // the first call returns 'fresh', a second call returns 'unchanged'
}
