import type { IpRanges } from '../pod/validators.ts'
import type { Capture } from './capture.ts'

/** Most rules of one pod in one family, our fixed ones included. */
export const MAX_RULES = 8192

/** What the number of rules depends on. */
export interface RuleLists
  extends Pick<
    Capture,
    | 'interceptionMode'
    | 'includeInboundPorts'
    | 'excludeInboundPorts'
    | 'includeOutboundPorts'
    | 'excludeOutboundPorts'
    | 'includeOutboundIPRanges'
    | 'excludeOutboundIPRanges'
    | 'excludeInterfaces'
    | 'rerouteVirtualInterfaces'
    | 'ownerGroups'
  > {
  readonly proxyUIDs?: readonly unknown[]
  readonly proxyGIDs?: readonly unknown[]
  readonly dns?: 'none' | 'all' | IpRanges
}

/** A list, and how many rules it leads to. */
export interface ListedRules {
  readonly list: keyof RuleLists
  readonly rules: number
}

/**
 * The rules that each list leads to, computed from the lengths of the lists alone. The sum and {@link FIXED_RULES} are
 * never below the number of rules that `redirectRules` or `nativeRules` makes.
 */
export function ruleCounts(lists: RuleLists): ListedRules[] {
  const { includeInboundPorts, includeOutboundIPRanges, rerouteVirtualInterfaces, proxyUIDs, proxyGIDs, dns } = lists
  const perTable = lists.interceptionMode === 'TPROXY' ? 2 : 1
  const ranges = lengthOf(includeOutboundIPRanges)
  return [
    { list: 'excludeInterfaces', rules: 2 * perTable * lists.excludeInterfaces.length },
    { list: 'rerouteVirtualInterfaces', rules: rerouteVirtualInterfaces.length * (1 + ranges) },
    { list: 'includeInboundPorts', rules: perTable * includeInboundPorts.length },
    { list: 'excludeInboundPorts', rules: includeInboundPorts === '*' ? lists.excludeInboundPorts.length : 0 },
    { list: 'includeOutboundPorts', rules: lists.includeOutboundPorts.length },
    { list: 'excludeOutboundPorts', rules: 2 * lists.excludeOutboundPorts.length },
    { list: 'includeOutboundIPRanges', rules: ranges },
    { list: 'excludeOutboundIPRanges', rules: lengthOf(lists.excludeOutboundIPRanges) },
    { list: 'ownerGroups', rules: lists.ownerGroups.groups.length },
    { list: 'proxyUIDs', rules: PER_OWNER * (proxyUIDs?.length ?? 1) },
    { list: 'proxyGIDs', rules: PER_OWNER * (proxyGIDs?.length ?? 1) },
    { list: 'dns', rules: dns === undefined || typeof dns === 'string' ? 0 : 4 * lengthOf(dns) },
  ]
}

/** The rules that no list leads to, at most. */
export const FIXED_RULES = 40

/** How many rules a capture leads to at most, in one family. */
export const ruleCount = (
  capture: Capture & {
    readonly proxyUIDs?: readonly unknown[]
    readonly proxyGIDs?: readonly unknown[]
    readonly dns?: 'none' | 'all' | IpRanges
  },
): number => countRules(capture)

const countRules = (lists: RuleLists): number => ruleCounts(lists).reduce((sum, { rules }) => sum + rules, FIXED_RULES)

/** Checks the number of rules before any is made; `refuse` makes the error for the list that leads to most of them. */
export function checkRuleCount(lists: RuleLists, refuse: (list: keyof RuleLists, problem: string) => Error): void {
  const count = countRules(lists)
  if (count <= MAX_RULES) return
  const [most = { list: 'excludeInterfaces' as const }] = ruleCounts(lists).sort((a, b) => b.rules - a.rules)
  throw refuse(most.list, `all lists together lead to ${count} rules, at most ${MAX_RULES} are possible: shorten it`)
}

// internal

/** Rules of one proxy user or group, with TPROXY and DNS. */
const PER_OWNER = 8

const lengthOf = (ranges: '*' | IpRanges): number => (ranges === '*' ? 1 : ranges.ipv4.length + ranges.ipv6.length)
