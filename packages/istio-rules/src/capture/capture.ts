import type { IpRanges } from '../pod/validators.ts'

/**
 * Traffic of a pod that the rules capture. Rules have the order of the lists. Lists from annotations contain numbers
 * only. Lists from command lines may also contain port ranges and group names. iptables resolves these names on the
 * machine where it runs.
 */
export interface Capture<
  Port extends number | `${number}:${number}` = number | `${number}:${number}`,
  Group extends number | string = number | string,
> {
  readonly interceptionMode: 'REDIRECT' | 'TPROXY'
  readonly includeInboundPorts: '*' | readonly Port[]
  /** Inbound ports that are not captured. Only used if `includeInboundPorts` is `*`. */
  readonly excludeInboundPorts: readonly Port[]
  readonly includeOutboundPorts: readonly Port[]
  readonly excludeOutboundPorts: readonly Port[]
  readonly includeOutboundIPRanges: '*' | IpRanges
  readonly excludeOutboundIPRanges: IpRanges
  readonly excludeInterfaces: readonly string[]
  readonly rerouteVirtualInterfaces: readonly string[]
  /**
   * Groups that the rules compare with the group of the sending process. Outbound traffic of all groups except `groups`
   * is captured, or only traffic of `groups`.
   */
  readonly ownerGroups: { readonly mode: 'all-except' | 'only'; readonly groups: readonly Group[] }
  readonly dropInvalid: boolean
  /** IPv4 range that counts as loopback. */
  readonly loopbackCidr: string
}
