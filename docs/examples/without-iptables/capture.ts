import { iptables, ruleset } from '@cni/iptables'
import type { Netns } from '@cni/netns'

const rules = ruleset({ nat: ['EX_OUTPUT'] }, ({ nat }) => [
  nat.on('OUTPUT').proto('tcp').jump('EX_OUTPUT'),
  nat.on('EX_OUTPUT').uid(1337).return(),
  nat.on('EX_OUTPUT').proto('tcp').redirect(15001),
])

/** Captures outgoing packets of a pod by netlink. It never starts a program of the node. */
export async function capture(pod: Netns) {
  const tables = iptables(pod, { programs: 'never' })
  const { plan } = await tables.apply(rules) // both families in one transaction
  await tables.verify(rules)
  return plan // 'fresh', then 'unchanged' for the second call
}
