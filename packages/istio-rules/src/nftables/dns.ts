import type { Placed } from '@cni/nftables/rules'
import type { CaptureConfig } from '../capture/config.ts'
import { AGENT_PORT, AGENT_ZONE, APPLICATION_ZONE, capturesDns, DNS_PORT } from '../iptables/dns.ts'
import { ownerId } from './owners.ts'
import { ofIpv6, type Tables } from './tables.ts'

/** Builds rules that redirect the application's DNS queries, but not the agent's queries, to Istio's agent. */
export function dnsRules(t: Tables, config: CaptureConfig): readonly Placed[] {
  if (!capturesDns(config)) return []
  return [
    t['istio-proxy-raw'].on('output').counter().jump('istio-output-dns'),
    t['istio-proxy-nat'].on('istio-output').counter().jump('istio-output-dns'),
    ...redirected(t, config),
    ...agentZones(t, config),
    t['istio-proxy-raw'].on('prerouting').counter().jump('istio-inbound'),
    ...zones(t, config),
  ]
}

function redirected(t: Tables, config: CaptureConfig): readonly Placed[] {
  const { dns } = config
  const queries = t['istio-proxy-nat'].on('istio-output-dns')
  if (typeof dns === 'string') {
    return [
      queries.l4proto('tcp').tcp('dport', DNS_PORT).counter().redirect(AGENT_PORT),
      queries.udp('dport', DNS_PORT).counter().redirect(AGENT_PORT),
    ]
  }
  const toServers = [
    ...dns.ipv4.map((server) => queries.ip('daddr', server)),
    ...ofIpv6(config, dns.ipv6).map((server) => queries.ip6('daddr', server)),
  ]
  return [
    ...toServers.map((rule) => rule.tcp('dport', DNS_PORT).counter().redirect(AGENT_PORT)),
    ...toServers.map((rule) => rule.udp('dport', DNS_PORT).counter().redirect(AGENT_PORT)),
  ]
}

function agentZones(t: Tables, { proxyUIDs, proxyGIDs }: CaptureConfig): readonly Placed[] {
  const raw = t['istio-proxy-raw'].on('istio-output-dns')
  const upstream = raw.udp('dport', DNS_PORT)
  const answers = raw.udp('sport', AGENT_PORT)
  return [
    ...proxyUIDs
      .map(ownerId)
      .flatMap((id) => [
        upstream.skuid(id).counter().ctZoneSet(AGENT_ZONE),
        answers.skuid(id).counter().ctZoneSet(APPLICATION_ZONE),
      ]),
    ...proxyGIDs
      .map(ownerId)
      .flatMap((id) => [
        upstream.skgid(id).counter().ctZoneSet(AGENT_ZONE),
        answers.skgid(id).counter().ctZoneSet(APPLICATION_ZONE),
      ]),
  ]
}

function zones(t: Tables, config: CaptureConfig): readonly Placed[] {
  const { dns } = config
  const queries = t['istio-proxy-raw'].on('istio-output-dns').udp('dport', DNS_PORT)
  const answers = t['istio-proxy-raw'].on('istio-inbound').udp('sport', DNS_PORT)
  const pairs =
    typeof dns === 'string'
      ? [[queries, answers] as const]
      : [
          ...dns.ipv4.map((server) => [queries.ip('daddr', server), answers.ip('saddr', server)] as const),
          ...ofIpv6(config, dns.ipv6).map(
            (server) => [queries.ip6('daddr', server), answers.ip6('saddr', server)] as const,
          ),
        ]
  return pairs.flatMap(([query, answer]) => [
    query.counter().ctZoneSet(APPLICATION_ZONE),
    answer.counter().ctZoneSet(AGENT_ZONE),
  ])
}
