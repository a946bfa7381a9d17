import type { Rule } from '@cni/iptables'
import type { CaptureConfig } from '../capture/config.ts'
import type { IpRanges } from '../pod/validators.ts'
import type { Tables } from './chains.ts'

/** Port of DNS servers (53). */
export const DNS_PORT = 53

/** Port on which Istio's agent answers DNS queries of the application. */
export const AGENT_PORT = 15053

/** Conntrack zones that separate the application's DNS queries from the agent's. Both may share ports. */
export const AGENT_ZONE = 1
export const APPLICATION_ZONE = 2

const FAMILIES = ['ipv4', 'ipv6'] as const
const HOST_BITS = { ipv4: 32, ipv6: 128 } as const

/** True if any DNS query is captured. An empty list of DNS servers captures no query. */
export function capturesDns({ dns }: CaptureConfig): boolean {
  return dns === 'all' || (dns !== 'none' && dns.ipv4.length + dns.ipv6.length > 0)
}

/** Builds rules that redirect the application's DNS queries, but not the agent's queries, to Istio's agent. */
export function dnsRules(t: Tables, config: CaptureConfig): readonly Rule[] {
  const { dns } = config
  if (dns === 'none' || !capturesDns(config)) return []
  return [
    t.raw.on('OUTPUT').jump('ISTIO_OUTPUT_DNS'),
    ...(dns === 'all' ? redirectAll(t) : redirectServers(t, dns)),
    ...agentZones(t, config),
    ...(dns === 'all' ? zoneAll(t) : zoneServers(t, dns)),
  ]
}

function redirectAll({ nat }: Tables): readonly Rule[] {
  const queries = nat.on('ISTIO_OUTPUT_DNS')
  return [
    nat.on('ISTIO_OUTPUT').jump('ISTIO_OUTPUT_DNS'),
    queries.proto('tcp').dport(DNS_PORT).redirect(AGENT_PORT),
    queries.proto('udp').dport(DNS_PORT).redirect(AGENT_PORT),
  ]
}

function redirectServers({ nat }: Tables, servers: IpRanges): readonly Rule[] {
  const families = FAMILIES.filter((family) => servers[family].length > 0)
  const queries = nat.on('ISTIO_OUTPUT_DNS')
  return [
    ...families.map((family) => nat.on('ISTIO_OUTPUT').only(family).jump('ISTIO_OUTPUT_DNS')),
    ...(['tcp', 'udp'] as const).flatMap((protocol) =>
      families.flatMap((family) =>
        hosts(servers, family).map((host) =>
          queries.only(family).proto(protocol).dport(DNS_PORT).dst(host).redirect(AGENT_PORT),
        ),
      ),
    ),
  ]
}

function agentZones({ raw }: Tables, { proxyUIDs, proxyGIDs }: CaptureConfig): readonly Rule[] {
  const upstream = raw.on('ISTIO_OUTPUT_DNS').proto('udp').dport(DNS_PORT)
  const answers = raw.on('ISTIO_OUTPUT_DNS').proto('udp').sport(AGENT_PORT)
  return [
    ...proxyUIDs.flatMap((id) => [upstream.uid(id).ctZone(AGENT_ZONE), answers.uid(id).ctZone(APPLICATION_ZONE)]),
    ...proxyGIDs.flatMap((id) => [upstream.gid(id).ctZone(AGENT_ZONE), answers.gid(id).ctZone(APPLICATION_ZONE)]),
  ]
}

function zoneAll({ raw }: Tables): readonly Rule[] {
  return [
    raw.on('PREROUTING').jump('ISTIO_INBOUND'),
    raw.on('ISTIO_OUTPUT_DNS').proto('udp').dport(DNS_PORT).ctZone(APPLICATION_ZONE),
    raw.on('ISTIO_INBOUND').proto('udp').sport(DNS_PORT).ctZone(AGENT_ZONE),
  ]
}

function zoneServers({ raw }: Tables, servers: IpRanges): readonly Rule[] {
  return FAMILIES.filter((family) => servers[family].length > 0).flatMap((family) => [
    raw.on('PREROUTING').only(family).jump('ISTIO_INBOUND'),
    ...hosts(servers, family).flatMap((host) => [
      raw.on('ISTIO_OUTPUT_DNS').only(family).proto('udp').dport(DNS_PORT).dst(host).ctZone(APPLICATION_ZONE),
      raw.on('ISTIO_INBOUND').only(family).proto('udp').sport(DNS_PORT).src(host).ctZone(AGENT_ZONE),
    ]),
  ])
}

function hosts(servers: IpRanges, family: 'ipv4' | 'ipv6'): readonly string[] {
  return servers[family].map((address) => `${address}/${HOST_BITS[family]}`)
}
