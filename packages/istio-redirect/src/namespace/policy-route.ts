import type { Family } from '@cni/iptables/rules'
import type { Rtnl } from '@cni/netns'

/** Policy route that delivers marked packets locally, whatever their destination. */
export interface PolicyRoute {
  readonly mark: number
  /** Mask of the packet mark. Default: all bits. */
  readonly mask?: number
  readonly table: number
  /** Priority of the policy rule. By default, the kernel puts the rule before existing rules. */
  readonly priority?: number
}

/** Policy rule, route or address of a network namespace, which can be added and removed. */
export interface NetworkItem {
  /** Description of the rule, route or address, in the words of the program `ip`. */
  readonly what: string
  present(rtnl: Rtnl): Promise<boolean>
  /** Adds the rule, route or address. `added` is false if the namespace had it before. */
  add(rtnl: Rtnl): Promise<{ readonly added: boolean }>
  remove(rtnl: Rtnl): Promise<unknown>
}

/**
 * Creates the setting for a policy rule that matches marked packets. Call `present` first, because the kernel would add
 * a duplicate.
 */
export const markRule = (family: Family, { mark, mask, table, priority }: PolicyRoute): NetworkItem => {
  const wanted = { family, fwmark: mark, mask, table, priority }
  return {
    what: `${family} rule: fwmark ${mask === undefined ? mark : `${hex(mark)}/${hex(mask)}`} lookup ${table}`,
    present: async (rtnl) =>
      (await rtnl.getRules(family)).some(
        (rule) =>
          rule.fwmark === mark &&
          rule.table === table &&
          (mask === undefined || rule.mask === mask) &&
          (priority === undefined || rule.priority === priority),
      ),
    add: (rtnl) => rtnl.addRule(wanted),
    remove: (rtnl) => rtnl.deleteRule(wanted),
  }
}

/** Creates the setting for a local route in the routing table of a {@link PolicyRoute}. */
export const localRoute = (family: Family, { table }: Pick<PolicyRoute, 'table'>): NetworkItem => {
  const route = { destination: 'default', family, type: 'local', scope: 'host', link: LOOPBACK, table } as const
  return {
    what: `${family} route: local default dev lo table ${table}`,
    present: async (rtnl) =>
      (await rtnl.getRoutes({ family, table })).some(
        ({ destination, type }) => destination === 'default' && type === 'local',
      ),
    add: (rtnl) => rtnl.addRoute(route),
    remove: (rtnl) => rtnl.deleteRoute(route),
  }
}

// internal

/** Interface index of `lo`, 1 in every namespace. A lookup by name would be slow. */
const LOOPBACK = 1

const hex = (value: number): string => `0x${value.toString(16)}`
