import type { Family } from '@cni/iptables/rules'
import type { Rtnl } from '@cni/netns'

/** Delivers packets with a mark locally, whatever their destination: a policy rule selects a table with one route. */
export interface PolicyRoute {
  readonly mark: number
  /** Mask of the mark. Default: all bits. */
  readonly mask?: number
  readonly table: number
  /**
   * Priority of the rule; the kernel tries the lowest first. Default: the kernel chooses one before the existing rules.
   */
  readonly priority?: number
}

/** Network setting of a namespace that is present or absent. */
export interface NetworkItem {
  /** Description of the setting in the words of `ip`. */
  readonly what: string
  present(rtnl: Rtnl): Promise<boolean>
  /** `added` is false if the item was present before. Rejects if a different item is in its place. */
  add(rtnl: Rtnl): Promise<{ readonly added: boolean }>
  remove(rtnl: Rtnl): Promise<unknown>
}

/**
 * Policy rule of a mark. `present` has to be called before `add`: the kernel accepts the same rule again with another
 * priority.
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

/** Route in the table of a {@link PolicyRoute}. */
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

/** Index of `lo` in every namespace. A lookup by name would be slow. */
const LOOPBACK = 1

const hex = (value: number): string => `0x${value.toString(16)}`
