import type { OwnerGroups } from '../pod/owner-groups.ts'
import type { InterceptionMode, IpRanges } from '../pod/validators.ts'

/** A port, or on a command line a range of ports. */
export type PortOrRange = number | `${number}:${number}`

/**
 * Which traffic is captured. Lists are in rule order. A pod says numbers; ranges of ports and names of groups, which
 * iptables resolves in its own file system, are possible on a command line.
 */
export interface Capture<Port extends PortOrRange = PortOrRange, Group extends number | string = number | string> {
  readonly interceptionMode: InterceptionMode
  readonly includeInboundPorts: '*' | readonly Port[]
  /** Matters only when every inbound port is included. */
  readonly excludeInboundPorts: readonly Port[]
  readonly includeOutboundPorts: readonly Port[]
  readonly excludeOutboundPorts: readonly Port[]
  readonly includeOutboundIPRanges: '*' | IpRanges
  readonly excludeOutboundIPRanges: IpRanges
  readonly excludeInterfaces: readonly string[]
  readonly rerouteVirtualInterfaces: readonly string[]
  readonly ownerGroups: OwnerGroups<Group>
  readonly dropInvalid: boolean
  /** The IPv4 range that counts as loopback. */
  readonly loopbackCidr: string
}
