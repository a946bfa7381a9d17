import type { Builders } from '@cni/iptables/rules'

/**
 * Every chain we own, in any mode: applying a configuration removes those that only an older one used.
 *
 * - `ISTIO_INBOUND` decides which inbound traffic the proxy gets; in raw it zones DNS replies.
 * - `ISTIO_IN_REDIRECT`, `ISTIO_REDIRECT` lead to the proxy's inbound and outbound ports.
 * - `ISTIO_OUTPUT` decides about outbound traffic, `ISTIO_OUTPUT_DNS` about queries.
 * - `ISTIO_DIVERT`, `ISTIO_TPROXY` deliver to a transparent socket; `ISTIO_DROP` drops invalid packets.
 */
export const chains = {
  mangle: ['ISTIO_DROP', 'ISTIO_DIVERT', 'ISTIO_TPROXY', 'ISTIO_INBOUND'],
  nat: ['ISTIO_INBOUND', 'ISTIO_REDIRECT', 'ISTIO_IN_REDIRECT', 'ISTIO_OUTPUT', 'ISTIO_OUTPUT_DNS'],
  raw: ['ISTIO_OUTPUT_DNS', 'ISTIO_INBOUND'],
} as const

/** The builders that the concerns write their rules with. */
export type Tables = Builders<typeof chains>

type PortOrRange = number | `${number}:${number}`

/** The rule under construction once for every port, or as it is when all ports are meant. */
export function onPorts<B extends { dport(port: PortOrRange): B }>(
  rule: B,
  ports: '*' | readonly PortOrRange[],
): readonly B[] {
  return ports === '*' ? [rule] : ports.map((port) => rule.dport(port))
}
