import type { IpRanges } from '../pod/validators.ts'
import type { Capture } from './capture.ts'

/** Largest number of rules of a pod in one family, fixed rules included. */
export const MAX_RULES = 8192

/** Lists that determine the number of rules. */
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

/** List, and the number of its rules. */
export interface ListedRules {
  readonly list: keyof RuleLists
  readonly rules: number
}

/**
 * Number of rules of each list, from the lengths of the lists alone. The sum with {@link FIXED_RULES} is at least the
 * number of rules in `redirectRules` or `nativeRules`.
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

/** Largest number of rules that do not come from a list. */
export const FIXED_RULES = 40

/** Largest number of rules of a capture in one family. */
export const ruleCount = (
  capture: Capture & {
    readonly proxyUIDs?: readonly unknown[]
    readonly proxyGIDs?: readonly unknown[]
    readonly dns?: 'none' | 'all' | IpRanges
  },
): number => countRules(capture)

const countRules = (lists: RuleLists): number => ruleCounts(lists).reduce((sum, { rules }) => sum + rules, FIXED_RULES)

/** Checks the number of rules before rules are created. `refuse` creates the error for the list with most rules. */
export function checkRuleCount(lists: RuleLists, refuse: (list: keyof RuleLists, problem: string) => Error): void {
  const count = countRules(lists)
  if (count <= MAX_RULES) return
  const [most = { list: 'excludeInterfaces' as const }] = ruleCounts(lists).sort((a, b) => b.rules - a.rules)
  throw refuse(
    most.list,
    `all lists together need ${count} rules, at most ${MAX_RULES} are possible: shorten this list`,
  )
}

// internal

/** Rules of one proxy user or group, with TPROXY and DNS. */
const PER_OWNER = 8

const lengthOf = (ranges: '*' | IpRanges): number => (ranges === '*' ? 1 : ranges.ipv4.length + ranges.ipv6.length)
