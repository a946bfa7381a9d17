import type { Rule } from '@cni/iptables'
import { loopback, PASSTHROUGH } from '../capture/addresses.ts'
import type { CaptureConfig } from '../capture/config.ts'
import type { Tables } from './chains.ts'
import { virtualOutbound } from './interfaces.ts'

const FAMILIES = ['ipv4', 'ipv6'] as const

/** Builds the first rules of `ISTIO_OUTPUT`. Even the proxy's traffic to excluded ports leaves the chain here. */
export function outboundStart({ nat }: Tables, { excludeOutboundPorts }: CaptureConfig): readonly Rule[] {
  const output = nat.on('ISTIO_OUTPUT')
  return [
    nat.on('OUTPUT').jump('ISTIO_OUTPUT'),
    ...excludeOutboundPorts.flatMap((port) => [
      output.proto('tcp').dport(port).return(),
      output.proto('udp').dport(port).return(),
    ]),
    output.out('lo').src(PASSTHROUGH).return(),
  ]
}

/** Excludes loopback addresses and the excluded ranges from outbound capture. */
export function uncapturedRanges({ nat }: Tables, config: CaptureConfig): readonly Rule[] {
  const output = nat.on('ISTIO_OUTPUT')
  return [
    output.dst(loopback(config)).return(),
    ...FAMILIES.flatMap((family) =>
      config.excludeOutboundIPRanges[family].map((cidr) => output.only(family).dst(cidr).return()),
    ),
  ]
}

/** Redirects outbound traffic to the proxy if its destination is an included port or IP range. */
export function capturedRanges(t: Tables, config: CaptureConfig): readonly Rule[] {
  const { includeOutboundPorts, includeOutboundIPRanges: ranges, rerouteVirtualInterfaces } = config
  const output = t.nat.on('ISTIO_OUTPUT')
  return [
    ...includeOutboundPorts.map((port) => output.proto('tcp').dport(port).jump('ISTIO_REDIRECT')),
    ...(ranges === '*'
      ? [output.jump('ISTIO_REDIRECT'), ...virtualOutbound(t, config)]
      : FAMILIES.flatMap((family) =>
          ranges[family].flatMap((cidr) => [
            ...rerouteVirtualInterfaces.map((name) =>
              t.nat.insert('PREROUTING', 1).only(family).in(name).dst(cidr).jump('ISTIO_REDIRECT'),
            ),
            output.only(family).dst(cidr).jump('ISTIO_REDIRECT'),
          ]),
        )),
  ]
}
