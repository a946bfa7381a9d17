import type { Builders } from '@cni/iptables/rules'

/**
 * iptables chains that the redirection can use, by table. A single configuration uses only some of the chains. Applying
 * a configuration removes all unused chains of an older configuration.
 *
 * - `ISTIO_INBOUND` selects inbound traffic for the proxy; in the table raw, it sets the conntrack zone of DNS
 *   replies.
 * - `ISTIO_IN_REDIRECT` and `ISTIO_REDIRECT` redirect to the proxy's inbound and outbound ports.
 * - `ISTIO_OUTPUT` decides about outbound traffic, `ISTIO_OUTPUT_DNS` about DNS queries.
 * - `ISTIO_DIVERT` and `ISTIO_TPROXY` deliver to a transparent socket. `ISTIO_DROP` drops invalid packets.
 */
export const chains = {
  mangle: ['ISTIO_DROP', 'ISTIO_DIVERT', 'ISTIO_TPROXY', 'ISTIO_INBOUND'],
  nat: ['ISTIO_INBOUND', 'ISTIO_REDIRECT', 'ISTIO_IN_REDIRECT', 'ISTIO_OUTPUT', 'ISTIO_OUTPUT_DNS'],
  raw: ['ISTIO_OUTPUT_DNS', 'ISTIO_INBOUND'],
} as const

/** Functions that create iptables rules, by the table of the rules. */
export type Tables = Builders<typeof chains>

type PortOrRange = number | `${number}:${number}`

/**
 * Creates one copy of an iptables rule for each port in `ports`. For `*` (all ports), returns the rule without a port
 * condition.
 */
export function onPorts<B extends { dport(port: PortOrRange): B }>(
  rule: B,
  ports: '*' | readonly PortOrRange[],
): readonly B[] {
  return ports === '*' ? [rule] : ports.map((port) => rule.dport(port))
}
