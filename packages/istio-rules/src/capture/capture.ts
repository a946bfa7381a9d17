import type { IpRanges } from '../pod/validators.ts'

/**
 * Traffic to capture. Lists are in the order of the rules. A pod's annotations contain numbers only. Command lines may
 * also contain port ranges and group names, which iptables resolves on its own machine.
 */
export interface Capture<
  Port extends number | `${number}:${number}` = number | `${number}:${number}`,
  Group extends number | string = number | string,
> {
  readonly interceptionMode: 'REDIRECT' | 'TPROXY'
  readonly includeInboundPorts: '*' | readonly Port[]
  /** Inbound ports that are not captured. Only used if all inbound ports are included. */
  readonly excludeInboundPorts: readonly Port[]
  readonly includeOutboundPorts: readonly Port[]
  readonly excludeOutboundPorts: readonly Port[]
  readonly includeOutboundIPRanges: '*' | IpRanges
  readonly excludeOutboundIPRanges: IpRanges
  readonly excludeInterfaces: readonly string[]
  readonly rerouteVirtualInterfaces: readonly string[]
  /** Groups of processes whose outbound traffic is captured: all except these, or only these. */
  readonly ownerGroups: { readonly mode: 'all-except' | 'only'; readonly groups: readonly Group[] }
  readonly dropInvalid: boolean
  /** IPv4 range that counts as loopback. */
  readonly loopbackCidr: string
}
