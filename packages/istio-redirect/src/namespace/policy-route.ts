import type { Family } from '@cni/iptables/rules'
import type { Rtnl } from '@cni/netns'

/** Packets with a mark are delivered locally, whatever their destination: a rule leads to a table with one route. */
export interface PolicyRoute {
  readonly mark: number
  /** Bits of the mark that count. Default: all. */
  readonly mask?: number
  readonly table: number
  /** Of the rule, lower is earlier. Default: the kernel chooses one before the existing rules. */
  readonly priority?: number
}

/** Something of a namespace's network that can be there or not. */
export interface NetworkItem {
  /** In words, as `ip` has them. */
  readonly what: string
  present(rtnl: Rtnl): Promise<boolean>
  /** `added: false`: it was there already. Rejects when there is one that is otherwise. */
  add(rtnl: Rtnl): Promise<{ readonly added: boolean }>
  remove(rtnl: Rtnl): Promise<unknown>
}

/** Looked for first: the kernel takes a rule it already has, with another priority, for another rule. */
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

/** The route of a {@link PolicyRoute}'s table. */
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

/** The index of `lo`, in every namespace: to look for it by name takes as long as to add the route. */
const LOOPBACK = 1

const hex = (value: number): string => `0x${value.toString(16)}`
