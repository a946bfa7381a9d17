import type { IpRanges } from '../pod/validators.ts'
import type { Capture } from './capture.ts'

/** Maximum number of redirection rules of a pod in one address family, including the `FIXED_RULES`. */
export const MAX_RULES = 8192

/** Lists in the capture settings that determine the number of redirection rules, such as ports and IP ranges. */
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

/** Name of a list in the capture settings, and the number of redirection rules for the list. */
export interface ListedRules {
  readonly list: keyof RuleLists
  readonly rules: number
}

/** Computes the number of redirection rules for each list of the capture settings. */
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

/** Upper bound for the number of redirection rules that do not depend on the lists of the capture settings. */
export const FIXED_RULES = 40

/** Computes an upper bound for the redirection rules of the capture settings in one address family. */
export const ruleCount = (
  capture: Capture & {
    readonly proxyUIDs?: readonly unknown[]
    readonly proxyGIDs?: readonly unknown[]
    readonly dns?: 'none' | 'all' | IpRanges
  },
): number => countRules(capture)

const countRules = (lists: RuleLists): number => ruleCounts(lists).reduce((sum, { rules }) => sum + rules, FIXED_RULES)

/** Throws if the settings need too many rules. The error names the list with most rules. */
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

/** Maximum number of redirection rules for one user ID or group ID of the proxy. */
const PER_OWNER = 8

const lengthOf = (ranges: '*' | IpRanges): number => (ranges === '*' ? 1 : ranges.ipv4.length + ranges.ipv6.length)
