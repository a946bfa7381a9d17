import { type Rule, type Ruleset, ruleset } from '@cni/iptables'
import type { Family } from '@cni/iptables/rules'
import type { Entry } from './entry.ts'

/**
 * Policy for incoming packets of an interface. `deny` takes precedence over `allow`. `otherwise` applies to all other
 * packets.
 */
export interface Policy {
  readonly deny: readonly Entry[]
  readonly allow: readonly Entry[]
  readonly otherwise: 'deny' | 'allow'
}

/** ICMPv6 types that the firewall always accepts, because IPv6 needs neighbour discovery and router advertisements. */
const NEIGHBOURHOOD = ['neighbour-solicitation', 'neighbour-advertisement', 'router-advertisement'] as const
/**
 * Rejects packets instead of dropping them: a rejected client fails at once, while a dropped client waits for minutes.
 */
const REFUSED = { ipv4: 'icmp-port-unreachable', ipv6: 'icmp6-port-unreachable' } as const

/** Prefix of an interface's chains, because each interface has a policy of its own. */
export const chainsOf = (ifName: string): string => `FW:${ifName.replaceAll(/[^\w.-]/g, '_')}:`

/** Creates the firewall rules of one interface. Other programs' rules may reject packets that these rules accept. */
export function firewall(ifName: string, { deny, allow, otherwise }: Policy): Ruleset {
  const chain = `${chainsOf(ifName)}IN`
  return ruleset({ filter: [chain] }, ({ filter }) => {
    const matching = ({ protocol, ports, from }: Entry, family: Family) => {
      let rule = filter.on(chain).only(family)
      rule = rule.proto(protocol === 'icmp' && family === 'ipv6' ? 'icmpv6' : protocol)
      if (ports !== undefined) rule = rule.dport(ports)
      return from === undefined ? rule : rule.src(from.network)
    }
    const each = (entries: readonly Entry[], end: (rule: ReturnType<typeof matching>) => Rule): Rule[] =>
      entries.flatMap((entry) => familiesOf(entry).map((family) => end(matching(entry, family))))
    return [
      filter.on('INPUT').in(ifName).jump(chain),
      filter.on(chain).ctstate('RELATED', 'ESTABLISHED').return(),
      ...NEIGHBOURHOOD.map((type) => filter.on(chain).only('ipv6').proto('icmpv6').icmpv6Type(type).return()),
      ...each(deny, (rule) => rule.reject(REFUSED)),
      ...each(allow, (rule) => rule.return()),
      ...(otherwise === 'deny' ? [filter.on(chain).reject(REFUSED)] : []),
    ]
  })
}

const familiesOf = ({ from }: Entry): readonly Family[] => (from === undefined ? ['ipv4', 'ipv6'] : [from.family])
