import type { IpRanges } from '../pod/validators.ts'

/**
 * Settings that select which traffic of a pod is redirected to the proxy. The order of a list is also the order of its
 * rules. Only lists from command lines may contain port ranges and group names. `iptables` resolves group names on the
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
   * Selects outbound traffic by the group of the sending process. Mode `all-except` captures all groups except
   * `groups`, mode `only` captures only `groups`.
   */
  readonly ownerGroups: { readonly mode: 'all-except' | 'only'; readonly groups: readonly Group[] }
  readonly dropInvalid: boolean
  /** IPv4 range that the rules treat as loopback addresses. */
  readonly loopbackCidr: string
}
