import type { Placed } from '@cni/nftables/rules'
import type { CaptureConfig } from '../capture/config.ts'
import { ofIpv6, type Tables } from './tables.ts'

/** Excludes the traffic of the interfaces in `excludeInterfaces` from capture, in both directions. */
export function excludedInterfaces(
  t: Tables,
  { excludeInterfaces, interceptionMode }: CaptureConfig,
): readonly Placed[] {
  const nat = t['istio-proxy-nat']
  const mangle = t['istio-proxy-mangle']
  return [
    ...excludeInterfaces.flatMap((name) => [
      nat.on('prerouting').iifname(name).counter().return(),
      nat.on('output').oifname(name).counter().return(),
    ]),
    ...(interceptionMode === 'TPROXY' ? excludeInterfaces : []).flatMap((name) => [
      mangle.on('prerouting').iifname(name).counter().return(),
      mangle.on('output').oifname(name).counter().return(),
    ]),
  ]
}

/** Builds the rules that treat traffic from the interfaces of virtual machines as outbound traffic. */
export function virtualInterfaces(t: Tables, config: CaptureConfig): readonly Placed[] {
  const { rerouteVirtualInterfaces: names, includeOutboundIPRanges: ranges } = config
  const from = names.map((name) => t['istio-proxy-nat'].on('prerouting').iifname(name))
  const captured =
    ranges === '*'
      ? from
      : [
          ...ranges.ipv4.flatMap((cidr) => from.map((rule) => rule.ip('daddr', cidr))),
          ...ofIpv6(config, ranges.ipv6).flatMap((cidr) => from.map((rule) => rule.ip6('daddr', cidr))),
        ]
  const inserted = [
    ...from.map((rule) => rule.counter().return()),
    ...captured.map((rule) => rule.counter().jump('istio-redirect')),
  ]
  return inserted.reverse()
}
