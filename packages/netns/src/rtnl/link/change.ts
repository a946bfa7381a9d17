import { firstDifference } from '../check.ts'
import type { LinkChange } from '../port/arguments.ts'
import type { Link } from '../port/link.ts'
import { formatMac, parseMac } from './mac.ts'

/** Change of a link that contains only values to change. `master` 0 removes the link from its master. */
export type Reduced = Omit<LinkChange, 'master' | 'netns'> & { readonly master?: number | undefined }

/** Drops the members of a change whose values the link already has. */
export function reduceChange(link: Link, change: LinkChange, master: number | undefined): Reduced | undefined {
  const { netns: _, master: __, bridge, bridgePort, mac, ...rest } = change
  const differing = Object.entries({ ...rest, ...(mac === undefined ? {} : { mac: formatMac(parseMac(mac)) }) }).filter(
    ([name, value]) => value !== undefined && firstDifference(withDefaults(link), { [name]: value }) !== undefined,
  )
  const reduced: Reduced = {
    ...Object.fromEntries(differing),
    ...(master === undefined || master === (link.master ?? 0) ? {} : { master }),
    ...(bridge === undefined || fits(link.bridge, bridge) ? {} : { bridge }),
    // Keeps `bridgePort` in the change if the link gets a new master. A new port has default options.
    ...(bridgePort === undefined || (fits(link.bridgePort, bridgePort) && (master ?? link.master) === link.master)
      ? {}
      : { bridgePort }),
  }
  return Object.keys(reduced).length === 0 ? undefined : reduced
}

/** Creates the change that undoes another change of a link: restores the previous values of its members. */
export function inverseChange(
  before: Link,
  {
    name,
    master,
    mtu,
    mac,
    txqlen,
    up,
    promisc,
    allmulti,
    alias,
    bridge,
    vxlan,
    geneve,
    bridgePort,
    netns,
  }: LinkChange,
): LinkChange {
  // The move to another namespace removes the master and sets the link down.
  const moved = netns !== undefined
  const masterBack = master !== undefined || moved
  return {
    ...(name === undefined && !moved ? {} : { name: before.name }),
    ...(mtu === undefined ? {} : { mtu: before.mtu }),
    ...(mac === undefined || before.mac === undefined ? {} : { mac: before.mac }),
    ...(txqlen === undefined ? {} : { txqlen: before.txqlen }),
    ...(up === undefined && !moved ? {} : { up: before.up }),
    ...(promisc === undefined ? {} : { promisc: before.promisc }),
    ...(allmulti === undefined ? {} : { allmulti: before.allmulti }),
    ...(alias === undefined ? {} : { alias: before.alias ?? '' }),
    ...(bridge === undefined || before.bridge === undefined ? {} : { bridge: membersOf(before.bridge, bridge) }),
    ...(vxlan === undefined || before.vxlan?.remote === undefined ? {} : { vxlan: { remote: before.vxlan.remote } }),
    ...(geneve === undefined || before.geneve === undefined ? {} : { geneve: { remote: before.geneve.remote } }),
    ...(masterBack ? { master: before.master ?? null } : {}),
    ...inversePortChange(before, masterBack, bridgePort),
  }
}

function inversePortChange({ bridgePort: before }: Link, masterBack: boolean, changed: object | undefined): LinkChange {
  if (before === undefined || (!masterBack && changed === undefined)) return {}
  return { bridgePort: masterBack || changed === undefined ? before : membersOf(before, changed) }
}

function fits(there: object | undefined, wanted: object): boolean {
  return there !== undefined && firstDifference(there, wanted) === undefined
}

/** Returns the members of the object `values` whose names also occur in the object `names`. */
function membersOf<T extends object>(values: T, names: object): Partial<T> {
  const result: Partial<T> = {}
  for (const name in values) if (Object.hasOwn(names, name)) result[name] = values[name]
  return result
}

const withDefaults = (link: Link): Link => ({ alias: '', ...link })
