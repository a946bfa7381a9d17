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

/** What of a link is as read, and does not follow from others. */
export type Settings = Omit<Link, 'index' | 'running' | 'master' | 'parent' | 'parentNetns'>

/** A link of a fake kernel. */
export interface Device {
  index: number
  netns: Namespace
  settings: Settings
  master?: Device | undefined
  /** The other end of a veth. */
  peer?: Device | undefined
  /** What it hangs on. */
  parent?: Device | undefined
}

/** A namespace of a fake kernel. */
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

/** A fake kernel: its namespaces come into being when somebody looks. */
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

  /** The links of all namespaces. */
  devices(): Device[] {
    return [...this.#namespaces.values()].flatMap(({ devices }) => devices)
  }

  /** A number that no link has. */
  nextIndex(): number {
    this.#index += 1
    return this.#index
  }
}

/** An error as the kernel's, of which the code is its errno name. */
export function refusal(what: string, code: string, text?: string): NetnsError {
  return new NetnsError(code, `${what}: ${code}${text === undefined ? '' : `, ${text}`}`)
}

/** The link that is meant; `undefined` when there is none. Throws as the real one for what is no name. */
export function findDevice({ devices }: Namespace, ref: LinkRef): Device | undefined {
  const { index } = linkSelector(ref)
  return devices.find((device) => (typeof ref === 'string' ? device.settings.name === ref : device.index === index))
}

/** The link that is meant; throws `ENODEV` when there is none. */
export function requireDevice(netns: Namespace, ref: LinkRef, what: string): Device {
  const device = findDevice(netns, ref)
  if (device !== undefined) return device
  throw refusal(what, 'ENODEV', `there is no link ${linkText(ref)}`)
}

/** A link as read. */
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
