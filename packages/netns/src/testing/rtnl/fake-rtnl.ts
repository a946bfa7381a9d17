import { keptIn, type NetnsTarget } from '../../handle/netns.ts'
import { NetnsError } from '../../handle/netns-error.ts'
import { placeOf, type Where } from '../../handle/where.ts'
import type { openRtnl } from '../../rtnl/open-rtnl.ts'
import { addressOf, type Rtnl } from '../../rtnl/port/rtnl.ts'
import { withUndo } from '../../rtnl/with-undo.ts'
import { withoutDeletions } from '../../rtnl/without-deletions.ts'
import { dropAddress, listAddresses, putAddress } from './addresses.ts'
import { dropFilter, listFilters, putFilter } from './filters.ts'
import { addDevice, changeDevice, deleteDevice } from './links.ts'
import { dropRoute, listRoutes, putRoute } from './routes.ts'
import * as tables from './tables.ts'
import { type Device, findDevice, viewOf, World } from './world.ts'

/**
 * Replacement for `openRtnl()` in tests, without a kernel and without root. Results and errors are the same as from the
 * kernel. Deleting a veth deletes its peer; deleting a link deletes its routes. The fake works in the node's namespace;
 * `open` opens other namespaces. A new namespace has the link `lo`, which is up.
 *
 * The fake models no packets, no IPv6 link-local addresses, no time and no programs.
 *
 * @example
 * ```ts
 * import { fakeRtnl } from '@cni/netns/testing'
 *
 * const node = fakeRtnl()
 * await node.addLink({ kind: 'bridge', name: 'cni0', up: true })
 * export const { added } = await node.addLink({ kind: 'bridge', name: 'cni0' }) // false
 * ```
 */
export function fakeRtnl(): Rtnl & {
  /** Fake of the function `openRtnl`. The fake supports undo steps and opens all namespaces of the same fake kernel. */
  readonly open: typeof openRtnl
} {
  const world = new World()
  const open = async (where: Where): Promise<Rtnl> => {
    const { netns, undo } = placeOf(where, 'openRtnl')
    if (keptIn(netns) !== undefined) return withoutDeletions(portTo(world, netns))
    if (undo === undefined) return portTo(world, netns)
    // Undo steps also run after `close`, as with the real `openRtnl`.
    return withUndo({ ...portTo(world, netns), close() {} }, { netns, undo, open })
  }
  return { ...portTo(world, 'host'), open }
}

function portTo(world: World, target: NetnsTarget): Rtnl {
  const here = world.namespace(target)
  let open = true
  /** Runs an operation of the fake and turns thrown errors into rejections. Rejects with `CLOSED` after `close`. */
  const on = async <T>(act: () => T): Promise<T> => {
    if (!open) throw new NetnsError('CLOSED', 'the netlink socket is closed')
    return structuredClone(act())
  }
  const close = (): void => {
    open = false
  }
  const setState = (link: Parameters<Rtnl['setLinkUp']>[0], up: boolean) =>
    on(() => void changeDevice(world, here, link, { up }))
  return {
    getLinks: () => on(() => here.devices.map(viewOf)),
    getLink: (link) => on(() => viewIfThere(findDevice(here, link))),
    addLink: (link) => on(() => ({ added: addDevice(world, here, link) })),
    setLink: (link, change) => on(() => changeDevice(world, here, link, change)),
    deleteLink: (link) => on(() => ({ deleted: deleteDevice(world, here, link) })),
    setLinkUp: (link) => setState(link, true),
    setLinkDown: (link) => setState(link, false),
    getAddresses: (filter = {}) => on(() => listAddresses(here, filter)),
    addAddress: (first, cidr?: string) => on(() => ({ added: putAddress(here, addressOf(first, cidr)) })),
    deleteAddress: (first, cidr?: string) => on(() => ({ deleted: dropAddress(here, addressOf(first, cidr)) })),
    getRoutes: (filter = {}) => on(() => listRoutes(here, filter)),
    addRoute: (route) => on(() => ({ added: putRoute(here, route) })),
    replaceRoute: (route) => on(() => void putRoute(here, route, true)),
    deleteRoute: (route) => on(() => ({ deleted: dropRoute(here, route) })),
    getRules: (filter = {}) => on(() => tables.listRules(here, filter)),
    addRule: (rule) => on(() => ({ added: tables.putRule(here, rule) })),
    deleteRule: (rule) => on(() => ({ deleted: tables.dropRule(here, rule) })),
    getNeighbours: (filter = {}) => on(() => tables.listNeighbours(here, filter)),
    addNeighbour: (neighbour) => on(() => ({ added: tables.putNeighbour(here, neighbour) })),
    replaceNeighbour: (neighbour) => on(() => void tables.putNeighbour(here, neighbour, true)),
    deleteNeighbour: (neighbour) => on(() => ({ deleted: tables.dropNeighbour(here, neighbour) })),
    getBridgeVlans: (filter = {}) => on(() => tables.listVlans(here, filter)),
    addBridgeVlan: (vlan) => on(() => ({ added: tables.putVlan(here, vlan) })),
    deleteBridgeVlan: (vlan) => on(() => ({ deleted: tables.dropVlan(here, vlan) })),
    getQdiscs: (filter = {}) => on(() => tables.listQdiscs(here, filter)),
    addQdisc: (qdisc) => on(() => ({ added: tables.putQdisc(here, qdisc) })),
    replaceQdisc: (qdisc) => on(() => void tables.putQdisc(here, qdisc, true)),
    deleteQdisc: (qdisc) => on(() => ({ deleted: tables.dropQdisc(here, qdisc) })),
    getFilters: (filter = {}) => on(() => listFilters(here, filter)),
    addFilter: (filter) => on(() => ({ added: putFilter(here, filter) })),
    replaceFilter: (filter) => on(() => void putFilter(here, filter, true)),
    deleteFilter: (filter) => on(() => ({ deleted: dropFilter(here, filter) })),
    getRedirects: (filter = {}) => on(() => tables.listRedirects(here, filter)),
    addRedirect: (redirect) => on(() => ({ added: tables.putRedirect(here, redirect) })),
    deleteRedirect: (redirect) => on(() => ({ deleted: tables.dropRedirect(here, redirect) })),
    close,
    [Symbol.dispose]: close,
  }
}

const viewIfThere = (device: Device | undefined) => (device === undefined ? undefined : viewOf(device))
