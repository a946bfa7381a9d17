import type { NewPolicyRule } from '@cni/netns'
import type { NetworkPlan, WantedRoute, WantedSysctl, WantedTunnel } from './network-plan.ts'

/** Prints a network plan as commands of `ip` and `sysctl`. */
export function networkText({ sysctls, tunnels, routes, rules }: NetworkPlan): string[] {
  return [
    ...sysctls.map((each) => `sysctl -w ${sysctlText(each)}`),
    ...tunnels.flatMap((each) => [
      `ip link add ${tunnelText(each)}`,
      `ip addr add ${each.cidr} dev ${each.name}`,
      `ip link set ${each.name} up`,
    ]),
    ...routes.map((each) => `ip route add ${routeText(each)}`),
    ...rules.map((each) => `ip rule add ${ruleText(each)}`),
  ]
}

/** Prints the arguments of `ip link add` for a planned tunnel. */
export const tunnelText = ({ name, kind, id, remote, port }: WantedTunnel): string =>
  `${name} type ${kind} id ${id} remote ${remote} dstport ${port}`

/** Prints the arguments of `ip route add` for a route. Equal routes have equal texts. */
export function routeText({ table, to, link, type, gateway, source, scope, onlink }: RouteWords): string {
  return [
    `table ${table}`,
    type,
    to,
    gateway && `via ${gateway}`,
    link && `dev ${link}`,
    source && `src ${source}`,
    scope && `scope ${scope}`,
    onlink && 'onlink',
  ]
    .filter(Boolean)
    .join(' ')
}

/** Prints the arguments of `ip rule add` for a policy rule. Equal rules have equal texts. */
export function ruleText({ priority, fwmark, mask, table, goto, from, to, iif, invert }: NewPolicyRule): string {
  return [
    `priority ${priority}`,
    invert && 'not',
    from && `from ${from}`,
    to && `to ${to}`,
    iif && `iif ${iif}`,
    fwmark !== undefined && `fwmark ${hex(fwmark)}/${hex(mask ?? 0xffffffff)}`,
    goto === undefined ? `lookup ${table}` : `goto ${goto}`,
  ]
    .filter(Boolean)
    .join(' ')
}

/** Prints a sysctl as `name=value`, the notation of the program `sysctl`. */
export const sysctlText = ({ name, value }: WantedSysctl): string => `${name}=${value}`

/** Fields that appear in the text of a route. The route comes from a plan or from the kernel. */
type RouteWords = Pick<WantedRoute, 'table' | 'to'> &
  Readonly<Partial<Record<'link' | 'type' | 'gateway' | 'source' | 'scope', string | undefined>>> & {
    readonly onlink?: boolean | undefined
  }

// internal

const hex = (value: number): string => `0x${value.toString(16)}`
