import type { Builders } from '@cni/iptables/rules'

/** iptables chains of all possible configurations, by table. Unused chains of older configurations are removed. */
export const chains = {
  mangle: ['ISTIO_DROP', 'ISTIO_DIVERT', 'ISTIO_TPROXY', 'ISTIO_INBOUND'],
  nat: ['ISTIO_INBOUND', 'ISTIO_REDIRECT', 'ISTIO_IN_REDIRECT', 'ISTIO_OUTPUT', 'ISTIO_OUTPUT_DNS'],
  raw: ['ISTIO_OUTPUT_DNS', 'ISTIO_INBOUND'],
} as const

/** Functions that create iptables rules, by the table of the rules. */
export type Tables = Builders<typeof chains>

type PortOrRange = number | `${number}:${number}`

/** Copies an iptables rule for each port. For `*`, the rule has no condition. */
export function onPorts<B extends { dport(port: PortOrRange): B }>(
  rule: B,
  ports: '*' | readonly PortOrRange[],
): readonly B[] {
  return ports === '*' ? [rule] : ports.map((port) => rule.dport(port))
}
