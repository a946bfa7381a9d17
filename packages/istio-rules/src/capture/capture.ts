import type { IpRanges } from '../pod/validators.ts'

/**
 * Which traffic is captured. Lists are in rule order. A pod says numbers; ranges of ports and names of groups, which
 * iptables resolves in its own file system, are possible on a command line.
 */
export interface Capture<
  Port extends number | `${number}:${number}` = number | `${number}:${number}`,
  Group extends number | string = number | string,
> {
  readonly interceptionMode: 'REDIRECT' | 'TPROXY'
  readonly includeInboundPorts: '*' | readonly Port[]
  /** Matters only when every inbound port is included. */
  readonly excludeInboundPorts: readonly Port[]
  readonly includeOutboundPorts: readonly Port[]
  readonly excludeOutboundPorts: readonly Port[]
  readonly includeOutboundIPRanges: '*' | IpRanges
  readonly excludeOutboundIPRanges: IpRanges
  readonly excludeInterfaces: readonly string[]
  readonly rerouteVirtualInterfaces: readonly string[]
  /** Groups of the processes whose outbound traffic is captured: all except these, or only these. */
  readonly ownerGroups: { readonly mode: 'all-except' | 'only'; readonly groups: readonly Group[] }
  readonly dropInvalid: boolean
  /** The IPv4 range that counts as loopback. */
  readonly loopbackCidr: string
}
