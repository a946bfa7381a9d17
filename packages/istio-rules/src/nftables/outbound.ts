import type { Placed } from '@cni/nftables/rules'
import { loopback, PASSTHROUGH } from '../capture/addresses.ts'
import type { CaptureConfig } from '../capture/config.ts'
import { onPort } from './ports.ts'
import { ofIpv6, type Tables } from './tables.ts'

/** Builds the first rules of `istio-output`. Even the proxy's traffic to excluded ports leaves the chain here. */
export function outboundStart(t: Tables, config: CaptureConfig): readonly Placed[] {
  const nat = t['istio-proxy-nat']
  const output = nat.on('istio-output')
  return [
    nat.on('output').counter().jump('istio-output'),
    ...config.excludeOutboundPorts
      .map(onPort)
      .flatMap((port) => [output.tcp('dport', port).counter().return(), output.udp('dport', port).counter().return()]),
    output.oifname('lo').ip('saddr', PASSTHROUGH.ipv4).counter().return(),
    ...ofIpv6(config, [output.oifname('lo').ip6('saddr', PASSTHROUGH.ipv6).counter().return()]),
  ]
}

/** Excludes loopback addresses and the excluded ranges from outbound capture. */
export function uncapturedRanges(t: Tables, config: CaptureConfig): readonly Placed[] {
  const { excludeOutboundIPRanges: excluded } = config
  const own = loopback(config)
  const output = t['istio-proxy-nat'].on('istio-output')
  return [
    output.ip('daddr', own.ipv4).counter().return(),
    ...ofIpv6(config, [output.ip6('daddr', own.ipv6).counter().return()]),
    ...excluded.ipv4.map((cidr) => output.ip('daddr', cidr).counter().return()),
    ...ofIpv6(config, excluded.ipv6).map((cidr) => output.ip6('daddr', cidr).counter().return()),
  ]
}

/** Redirects outbound traffic to the proxy if its destination is an included port or IP range. */
export function capturedRanges(t: Tables, config: CaptureConfig): readonly Placed[] {
  const { includeOutboundPorts, includeOutboundIPRanges: ranges } = config
  const output = t['istio-proxy-nat'].on('istio-output')
  const captured =
    ranges === '*'
      ? [output]
      : [
          ...ranges.ipv4.map((cidr) => output.ip('daddr', cidr)),
          ...ofIpv6(config, ranges.ipv6).map((cidr) => output.ip6('daddr', cidr)),
        ]
  return [
    ...includeOutboundPorts.map((port) => output.tcp('dport', onPort(port)).counter().jump('istio-redirect')),
    ...captured.map((rule) => rule.counter().jump('istio-redirect')),
  ]
}
