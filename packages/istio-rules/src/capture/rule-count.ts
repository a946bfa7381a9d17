import type { IpRanges } from '../pod/validators.ts'
import type { Capture } from './capture.ts'

/** Limit of redirection rules of a pod in one address family, including rules that do not come from a list. */
export const MAX_RULES = 8192

/** Lists of a capture whose lengths determine the number of redirection rules. */
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

/** Name of a list in a capture, and the number of rules that the list needs. */
export interface ListedRules {
  readonly list: keyof RuleLists
  readonly rules: number
}

/**
 * Number of redirection rules that each list of a capture needs, from the lengths of the lists alone. The sum with
 * {@link FIXED_RULES} is at least the number of rules in `redirectRules` or `nativeRules`.
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

/** Upper bound for the number of redirection rules that do not come from a list of the capture. */
export const FIXED_RULES = 40

/** Upper bound for the number of redirection rules that a capture needs in one address family. */
export const ruleCount = (
  capture: Capture & {
    readonly proxyUIDs?: readonly unknown[]
    readonly proxyGIDs?: readonly unknown[]
    readonly dns?: 'none' | 'all' | IpRanges
  },
): number => countRules(capture)

const countRules = (lists: RuleLists): number => ruleCounts(lists).reduce((sum, { rules }) => sum + rules, FIXED_RULES)

/**
 * Checks that a capture needs at most {@link MAX_RULES} rules, before the rules are created. Throws the error that
 * `refuse` creates for the list with the most rules.
 */
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

/** Number of rules for one user or group of the proxy, with TPROXY and DNS capture. */
const PER_OWNER = 8

const lengthOf = (ranges: '*' | IpRanges): number => (ranges === '*' ? 1 : ranges.ipv4.length + ranges.ipv6.length)
