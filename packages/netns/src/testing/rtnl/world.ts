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

/** Members of a link that do not depend on other links. */
export type Settings = Omit<Link, 'index' | 'running' | 'master' | 'parent' | 'parentNetns'>

/** Link of a fake kernel. */
export interface Device {
  index: number
  netns: Namespace
  settings: Settings
  master?: Device | undefined
  /** Peer of a veth. */
  peer?: Device | undefined
  /** Link that this link is based on. */
  parent?: Device | undefined
}

/** Namespace of a fake kernel. */
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

/** Fake kernel. Creates a namespace at its first use. */
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

  /** Links of all namespaces. */
  devices(): Device[] {
    return [...this.#namespaces.values()].flatMap(({ devices }) => devices)
  }

  /** Next unused link index. */
  nextIndex(): number {
    this.#index += 1
    return this.#index
  }
}

/** Error as the kernel reports it, with the errno name as its code. */
export function refusal(what: string, code: string, text?: string): NetnsError {
  return new NetnsError(code, `${what}: ${code}${text === undefined ? '' : `, ${text}`}`)
}

/** Finds a link. Throws for an invalid name, as the real `getLink` does. */
export function findDevice({ devices }: Namespace, ref: LinkRef): Device | undefined {
  const { index } = linkSelector(ref)
  return devices.find((device) => (typeof ref === 'string' ? device.settings.name === ref : device.index === index))
}

/** Finds a link. Throws `ENODEV` if it is missing. */
export function requireDevice(netns: Namespace, ref: LinkRef, what: string): Device {
  const device = findDevice(netns, ref)
  if (device !== undefined) return device
  throw refusal(what, 'ENODEV', `there is no link ${linkText(ref)}`)
}

/** Link as `getLink` returns it. */
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
