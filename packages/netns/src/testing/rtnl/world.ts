import type { NetnsTarget } from '../../handle/netns.ts'
import { NetnsError } from '../../handle/netns-error.ts'
import { linkSelector, linkText } from '../../rtnl/link/wire.ts'
import type { Address } from '../../rtnl/port/address.ts'
import type { BridgeVlan, Redirect } from '../../rtnl/port/arguments.ts'
import type { Filter } from '../../rtnl/port/filter.ts'
import type { Link, LinkRef } from '../../rtnl/port/link.ts'
import type { Neighbour } from '../../rtnl/port/neighbour.ts'
import type { Qdisc } from '../../rtnl/port/qdisc.ts'
import type { Route } from '../../rtnl/port/route.ts'
import type { PolicyRule } from '../../rtnl/port/rule.ts'

/** Members of a link in the fake kernel that do not depend on other links. */
export type Settings = Omit<Link, 'index' | 'running' | 'master' | 'parent' | 'parentNetns'>

/** Link (network interface) of a fake kernel. */
export interface Device {
  index: number
  netns: Namespace
  settings: Settings
  master?: Device | undefined
  /** Other end of a veth in the fake kernel. */
  peer?: Device | undefined
  /** Parent link of a VLAN, macvlan or similar link in the fake kernel. */
  parent?: Device | undefined
}

/** Network namespace of a fake kernel, with its links, addresses, routes and other objects. */
export interface Namespace {
  readonly devices: Device[]
  addresses: Address[]
  routes: Route[]
  rules: PolicyRule[]
  neighbours: Neighbour[]
  qdiscs: Qdisc[]
  redirects: Redirect[]
  filters: Filter[]
  vlans: BridgeVlan[]
}

/** Fake kernel with network namespaces. Creates a namespace when a test first uses it. */
export class World {
  readonly #namespaces = new Map<string, Namespace>()
  #index = 1

  namespace(target: NetnsTarget): Namespace {
    const key = target === 'host' ? target : `${target.dev}:${target.ino}`
    const known = this.#namespaces.get(key)
    if (known !== undefined) return known
    const fresh = emptyNamespace()
    this.#namespaces.set(key, fresh)
    return fresh
  }

  /** Links in all namespaces of the fake kernel. */
  devices(): Device[] {
    return [...this.#namespaces.values()].flatMap(({ devices }) => devices)
  }

  /** Returns the next unused link index of the fake kernel. */
  nextIndex(): number {
    this.#index += 1
    return this.#index
  }
}

/** Creates an error as the real kernel would report it, with the errno name as its code. */
export function refusal(what: string, code: string, text?: string): NetnsError {
  return new NetnsError(code, `${what}: ${code}${text === undefined ? '' : `, ${text}`}`)
}

/** Finds a link of the fake kernel. Throws for an invalid name. */
export function findDevice({ devices }: Namespace, ref: LinkRef): Device | undefined {
  const { index } = linkSelector(ref)
  return devices.find((device) => (typeof ref === 'string' ? device.settings.name === ref : device.index === index))
}

/** Finds a link in a namespace of the fake kernel. Throws `ENODEV` if the link is missing. */
export function requireDevice(netns: Namespace, ref: LinkRef, what: string): Device {
  const device = findDevice(netns, ref)
  if (device !== undefined) return device
  throw refusal(what, 'ENODEV', `there is no link ${linkText(ref)}`)
}

/** Converts a link of the fake kernel to the object that `getLink` returns. */
export function viewOf(device: Device): Link {
  const { index, settings, master, netns } = device
  const parent = device.peer ?? device.parent
  const hasCarrier = device.peer === undefined || device.peer.settings.up
  return {
    ...settings,
    index,
    running: settings.up && hasCarrier,
    ...(master === undefined ? {} : { master: master.index }),
    ...(parent === undefined ? {} : { parent: parent.index }),
    ...(parent === undefined || parent.netns === netns ? {} : { parentNetns: 0 }),
  }
}

function emptyNamespace(): Namespace {
  const netns: Namespace = {
    devices: [],
    addresses: [],
    routes: [],
    rules: (['ipv4', 'ipv6'] as const).flatMap((family) => {
      const tables = family === 'ipv4' ? [255, 254, 253] : [255, 254]
      return tables.map((table, at) => ({ family, table, priority: at === 0 ? 0 : 32765 + at, invert: false }))
    }),
    neighbours: [],
    qdiscs: [],
    redirects: [],
    filters: [],
    vlans: [],
  }
  const flags = { up: true, loopback: true, promisc: false, allmulti: false }
  netns.devices.push({
    index: 1,
    netns,
    settings: { name: 'lo', mtu: 65536, txqlen: 1000, mac: '00:00:00:00:00:00', ...flags },
  })
  return netns
}
