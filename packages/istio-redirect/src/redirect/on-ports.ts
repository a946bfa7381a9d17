import type { PortOrRange } from './config.ts'

/** The rule under construction once for every port, or as it is when all ports are meant. */
export function onPorts<B extends { dport(port: PortOrRange): B }>(
  rule: B,
  ports: '*' | readonly PortOrRange[],
): readonly B[] {
  return ports === '*' ? [rule] : ports.map((port) => rule.dport(port))
}
