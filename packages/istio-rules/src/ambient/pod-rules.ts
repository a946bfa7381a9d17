import type { Rule, Ruleset } from '@cni/iptables'
import { type Builders, ruleset } from '@cni/iptables/rules'
import {
  DNS_PORT,
  HBONE_PORT,
  INBOUND_PORT,
  MARK_MASK,
  OUTBOUND_PORT,
  QUERY_PORT,
  replyRoute,
  ZTUNNEL_MARK,
  ZTUNNEL_ZONE,
} from './ztunnel.ts'

/** Configuration of the rules in the namespace of an ambient pod. */
export interface PodCapture {
  /** True if the rules capture the pod's IPv6 traffic besides IPv4. */
  readonly ipv6: boolean
  /** True if the rules send the pod's DNS queries to ztunnel. */
  readonly dnsCapture: boolean
  /** True if inbound connections of the pod bypass the mesh. */
  readonly bypassInbound: boolean
  /** Interfaces of virtual machines in the pod. Packets from these interfaces are treated as outbound traffic. */
  readonly virtualInterfaces: readonly string[]
  /**
   * Source addresses of kubelet's probes after the node's SNAT, by family. Each is a single address without a prefix
   * length.
   */
  readonly probeSource: { readonly ipv4: string; readonly ipv6: string }
}

/** Default source addresses of the kubelet's probes, as pods in ambient mode see them. */
export const defaultProbeSource = { ipv4: '169.254.7.127', ipv6: 'fd16:9254:7127:1337:ffff:ffff:ffff:ffff' } as const

/**
 * Builds the rules that redirect a pod's traffic to ztunnel in the pod's namespace. Packets with ztunnel's mark and
 * connections to port 15008 (HBONE) are not redirected.
 *
 * @example
 * ```ts
 * import { iptables } from '@cni/iptables/rules'
 * import { defaultProbeSource, podRules } from '@cni/istio-rules'
 *
 * const rules = podRules({
 *   ipv6: false,
 *   dnsCapture: true,
 *   bypassInbound: false,
 *   virtualInterfaces: [],
 *   probeSource: defaultProbeSource,
 * })
 * export const drift = (pod: Parameters<typeof iptables>[0]) => iptables(pod).diff(rules)
 * ```
 */
export function podRules(capture: PodCapture): Ruleset {
  return ruleset(chains, (t) =>
    [
      ...jumps(t, capture),
      ...virtualOutbound(t, capture),
      ...connectionMarks(t),
      ...probes(t, capture),
      ...inbound(t, capture),
      ...queries(t, capture),
      ...outbound(t),
    ].flatMap((rule) => inFamilies(rule, capture)),
  )
}

/** iptables chains of all possible configurations in an ambient pod, by table. */
const chains = {
  mangle: ['ISTIO_PRERT', 'ISTIO_OUTPUT'],
  nat: ['ISTIO_PRERT', 'ISTIO_OUTPUT'],
  raw: ['ISTIO_OUTPUT', 'ISTIO_PRERT'],
} as const

type Tables = Builders<typeof chains>

const loopback = { ipv4: '127.0.0.1/32', ipv6: '::1/128' } as const

function jumps({ mangle, nat, raw }: Tables, { dnsCapture }: PodCapture): readonly Rule[] {
  return [
    mangle.on('PREROUTING').jump('ISTIO_PRERT'),
    mangle.on('OUTPUT').jump('ISTIO_OUTPUT'),
    nat.on('OUTPUT').jump('ISTIO_OUTPUT'),
    ...(dnsCapture ? [raw.on('PREROUTING').jump('ISTIO_PRERT'), raw.on('OUTPUT').jump('ISTIO_OUTPUT')] : []),
    nat.on('PREROUTING').jump('ISTIO_PRERT'),
  ]
}

function virtualOutbound({ nat }: Tables, { virtualInterfaces }: PodCapture): readonly Rule[] {
  return virtualInterfaces.flatMap((name) => {
    const tcp = nat.on('ISTIO_PRERT').in(name).proto('tcp')
    return [tcp.redirect(OUTBOUND_PORT), tcp.return()]
  })
}

/** Marks connections from ztunnel, so that the application's replies go back to ztunnel. */
function connectionMarks({ mangle }: Tables): readonly Rule[] {
  const { mark } = replyRoute
  return [
    mangle.on('ISTIO_PRERT').mark(ZTUNNEL_MARK, MARK_MASK).setXconnmark(mark, MARK_MASK),
    mangle.on('ISTIO_OUTPUT').connmark(mark, MARK_MASK).restoreMark(),
  ]
}

/**
 * Accepts the kubelet's probes and the pod's answers without redirection. Reason: the kubelet sends probes as plain
 * text.
 */
function probes({ nat }: Tables, { bypassInbound, probeSource }: PodCapture): readonly Rule[] {
  const source = { ipv4: `${probeSource.ipv4}/32`, ipv6: `${probeSource.ipv6}/128` }
  return [
    ...(bypassInbound ? [] : [nat.on('ISTIO_PRERT').src(source).proto('tcp').accept()]),
    nat.on('ISTIO_OUTPUT').dst(source).proto('tcp').accept(),
  ]
}

function inbound({ nat }: Tables, { bypassInbound }: PodCapture): readonly Rule[] {
  if (bypassInbound) return []
  const plain = nat.on('ISTIO_PRERT').not.dst(loopback).proto('tcp').not.dport(HBONE_PORT)
  return [plain.not.mark(ZTUNNEL_MARK, MARK_MASK).redirect(INBOUND_PORT)]
}

/**
 * Builds the rules for DNS capture. A conntrack zone separates ztunnel's own queries from the queries that ztunnel
 * answers.
 */
function queries({ nat, raw }: Tables, { dnsCapture }: PodCapture): readonly Rule[] {
  if (!dnsCapture) return []
  const output = nat.on('ISTIO_OUTPUT')
  return [
    output.not.out('lo').proto('udp').not.mark(ZTUNNEL_MARK, MARK_MASK).dport(DNS_PORT).redirect(QUERY_PORT),
    output.not.dst(loopback).proto('tcp').dport(DNS_PORT).not.mark(ZTUNNEL_MARK, MARK_MASK).redirect(QUERY_PORT),
    raw.on('ISTIO_OUTPUT').proto('udp').mark(ZTUNNEL_MARK, MARK_MASK).dport(DNS_PORT).ctZone(ZTUNNEL_ZONE),
    raw.on('ISTIO_PRERT').proto('udp').not.mark(ZTUNNEL_MARK, MARK_MASK).sport(DNS_PORT).ctZone(ZTUNNEL_ZONE),
  ]
}

function outbound({ nat }: Tables): readonly Rule[] {
  const output = nat.on('ISTIO_OUTPUT')
  return [
    output.proto('tcp').mark(replyRoute.mark, MARK_MASK).accept(),
    output.not.dst(loopback).out('lo').accept(),
    output.not.dst(loopback).proto('tcp').not.mark(ZTUNNEL_MARK, MARK_MASK).redirect(OUTBOUND_PORT),
  ]
}

function inFamilies(rule: Rule, { ipv6 }: PodCapture): readonly Rule[] {
  return ipv6 ? [rule] : [{ ...rule, family: 'ipv4' }]
}
