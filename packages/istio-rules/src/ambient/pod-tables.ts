import { type Builders, base, chain, nftRuleset, type Placed, type Ruleset } from '@cni/nftables/rules'
import type { PodCapture } from './pod-rules.ts'
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

/**
 * Creates nf_tables tables with the rules of `podRules`. Only Istio writes these tables. Omits the table
 * `istio-ambient-raw` if the table would be empty.
 *
 * @example
 * ```ts
 * import { defaultProbeSource, podTables } from '@cni/istio-rules'
 *
 * const capture = { ipv6: true, dnsCapture: false, bypassInbound: false, virtualInterfaces: [], probeSource: defaultProbeSource }
 * export const names = podTables(capture).tables.map(({ name }) => name) // no istio-ambient-raw
 * ```
 */
export function podTables(capture: PodCapture): Ruleset {
  const { tables } = nftRuleset('inet', parts, (t) => [
    ...jumps(t),
    ...virtualOutbound(t, capture),
    ...connectionMarks(t),
    ...probes(t, capture),
    ...inbound(t, capture),
    ...queries(t, capture),
    ...outbound(t, capture),
  ])
  return { tables: tables.filter(({ name }) => capture.dnsCapture || name !== RAW) }
}

/**
 * Builds all nf_tables tables of ambient pods, without rules. Use the result to delete the tables of any configuration.
 */
export const allPodTables = (): Ruleset => nftRuleset('inet', parts, () => [])

// internal

const RAW = 'istio-ambient-raw'

const own = { 'istio-prerouting': chain, 'istio-output': chain } as const

const parts = {
  'istio-ambient-nat': { prerouting: base('nat', 'prerouting', -100), output: base('nat', 'output', -100), ...own },
  'istio-ambient-mangle': {
    prerouting: base('filter', 'prerouting', -150),
    output: base('route', 'output', -150),
    ...own,
  },
  [RAW]: { prerouting: base('filter', 'prerouting', -300), output: base('filter', 'output', -300), ...own },
} as const

type Tables = Builders<'inet', typeof parts>

const ztunnelMark = { value: ZTUNNEL_MARK, mask: MARK_MASK } as const
const replyMark = { value: replyRoute.mark, mask: MARK_MASK } as const

function jumps(t: Tables): readonly Placed[] {
  return [t['istio-ambient-nat'], t['istio-ambient-mangle'], t[RAW]].flatMap((table) => [
    table.on('prerouting').jump('istio-prerouting'),
    table.on('output').jump('istio-output'),
  ])
}

function virtualOutbound(t: Tables, { virtualInterfaces }: PodCapture): readonly Placed[] {
  return virtualInterfaces.flatMap((name) => {
    const tcp = t['istio-ambient-nat'].on('istio-prerouting').iifname(name).l4proto('tcp').counter()
    return [tcp.redirect(OUTBOUND_PORT), tcp.return()]
  })
}

function connectionMarks(t: Tables): readonly Placed[] {
  const mangle = t['istio-ambient-mangle']
  const marked = { of: 'ct mark', and: ~MARK_MASK >>> 0, xor: replyRoute.mark } as const
  return [
    mangle.on('istio-prerouting').mark(ztunnelMark).counter().ctMarkSet(marked),
    mangle.on('istio-output').ct('mark', replyMark).counter().markSet('ct mark'),
  ]
}

function probes(t: Tables, { ipv6, bypassInbound, probeSource }: PodCapture): readonly Placed[] {
  const from = t['istio-ambient-nat'].on('istio-prerouting').l4proto('tcp')
  const to = t['istio-ambient-nat'].on('istio-output').l4proto('tcp')
  const rules = [
    from.ip('saddr', probeSource.ipv4).counter().accept(),
    ...(ipv6 ? [from.ip6('saddr', probeSource.ipv6).counter().accept()] : []),
  ]
  return [
    ...(bypassInbound ? [] : rules),
    to.ip('daddr', probeSource.ipv4).counter().accept(),
    ...(ipv6 ? [to.ip6('daddr', probeSource.ipv6).counter().accept()] : []),
  ]
}

function inbound(t: Tables, capture: PodCapture): readonly Placed[] {
  if (capture.bypassInbound) return []
  return notLoopback(t['istio-ambient-nat'].on('istio-prerouting'), capture).map((rule) =>
    rule.tcp('dport').not(HBONE_PORT).mark().not(ztunnelMark).counter().redirect(INBOUND_PORT),
  )
}

function queries(t: Tables, capture: PodCapture): readonly Placed[] {
  if (!capture.dnsCapture) return []
  const output = t['istio-ambient-nat'].on('istio-output')
  const raw = t[RAW]
  return [
    output.oifname().not('lo').mark().not(ztunnelMark).udp('dport', DNS_PORT).counter().redirect(QUERY_PORT),
    ...notLoopback(output, capture).map((rule) =>
      rule.tcp('dport', DNS_PORT).mark().not(ztunnelMark).counter().redirect(QUERY_PORT),
    ),
    raw.on('istio-output').udp('dport', DNS_PORT).mark(ztunnelMark).counter().ctZoneSet(ZTUNNEL_ZONE),
    raw.on('istio-prerouting').udp('sport', DNS_PORT).mark().not(ztunnelMark).counter().ctZoneSet(ZTUNNEL_ZONE),
  ]
}

function outbound(t: Tables, capture: PodCapture): readonly Placed[] {
  const output = t['istio-ambient-nat'].on('istio-output')
  return [
    output.l4proto('tcp').mark(replyMark).counter().accept(),
    ...notLoopback(output.oifname('lo'), capture).map((rule) => rule.counter().accept()),
    ...notLoopback(output.l4proto('tcp'), capture).map((rule) =>
      rule.mark().not(ztunnelMark).counter().redirect(OUTBOUND_PORT),
    ),
  ]
}

/** Copies a rule for each captured address family. Each copy excludes the loopback address. */
function notLoopback<Next>(
  rule: {
    ip(field: 'daddr'): { not(value: string): Next }
    ip6(field: 'daddr'): { not(value: string): Next }
  },
  { ipv6 }: PodCapture,
): readonly Next[] {
  return [rule.ip('daddr').not('127.0.0.1'), ...(ipv6 ? [rule.ip6('daddr').not('::1')] : [])]
}
