import type { NetnsTarget } from '../handle/netns.ts'
import { addAddress, deleteAddress, getAddresses } from './address/requests.ts'
import { addBridgeVlan, deleteBridgeVlan, getBridgeVlans } from './bridge-vlan/requests.ts'
import { addFilter, deleteFilter, getFilters, replaceFilter } from './filter/requests.ts'
import { acrossNamespaces } from './link/across-namespaces.ts'
import { deleteLink, findLink, getLinks, setLinkState } from './link/requests.ts'
import { addNeighbour, deleteNeighbour, getNeighbours, replaceNeighbour } from './neighbour/requests.ts'
import { addressOf, type Rtnl } from './port/rtnl.ts'
import { addRedirect, deleteRedirect, getRedirects } from './qdisc/redirect.ts'
import { addQdisc, deleteQdisc, getQdiscs, replaceQdisc } from './qdisc/requests.ts'
import { addRoute, deleteRoute, getRoutes, replaceRoute } from './route/requests.ts'
import { addRule, deleteRule, getRules } from './rule/requests.ts'
import type { Transport } from './transport.ts'

/**
 * Implements the operations of {@link Rtnl} on links, addresses and routes. Sends all requests through the given
 * rtnetlink socket.
 */
export function rtnlFrom({ perform, close }: Transport, target: NetnsTarget): Rtnl {
  const { addLink, setLink } = acrossNamespaces(perform, target)
  return {
    getLinks: () => perform(getLinks),
    getLink: (link) => perform((channel) => findLink(channel, link)),
    addLink,
    setLink,
    deleteLink: (link) => perform((channel) => ({ deleted: deleteLink(channel, link) })),
    setLinkUp: (link) => perform((channel) => setLinkState(channel, link, 'up')),
    setLinkDown: (link) => perform((channel) => setLinkState(channel, link, 'down')),
    getAddresses: (filter = {}) => perform((channel) => getAddresses(channel, filter)),
    addAddress: (first, cidr?: string) =>
      perform((channel) => ({ added: addAddress(channel, addressOf(first, cidr)) })),
    deleteAddress: (first, cidr?: string) =>
      perform((channel) => ({ deleted: deleteAddress(channel, addressOf(first, cidr)) })),
    getRoutes: (filter = {}) => perform((channel) => getRoutes(channel, filter)),
    addRoute: (route) => perform((channel) => ({ added: addRoute(channel, route) })),
    replaceRoute: (route) => perform((channel) => replaceRoute(channel, route)),
    deleteRoute: (route) => perform((channel) => ({ deleted: deleteRoute(channel, route) })),
    getNeighbours: (filter = {}) => perform((channel) => getNeighbours(channel, filter)),
    addNeighbour: (neighbour) => perform((channel) => ({ added: addNeighbour(channel, neighbour) })),
    replaceNeighbour: (neighbour) => perform((channel) => replaceNeighbour(channel, neighbour)),
    deleteNeighbour: (neighbour) => perform((channel) => ({ deleted: deleteNeighbour(channel, neighbour) })),
    getBridgeVlans: (filter = {}) => perform((channel) => getBridgeVlans(channel, filter)),
    addBridgeVlan: (vlan) => perform((channel) => ({ added: addBridgeVlan(channel, vlan) })),
    deleteBridgeVlan: (vlan) => perform((channel) => ({ deleted: deleteBridgeVlan(channel, vlan) })),
    getQdiscs: (filter = {}) => perform((channel) => getQdiscs(channel, filter)),
    addQdisc: (qdisc) => perform((channel) => ({ added: addQdisc(channel, qdisc) })),
    replaceQdisc: (qdisc) => perform((channel) => replaceQdisc(channel, qdisc)),
    deleteQdisc: (qdisc) => perform((channel) => ({ deleted: deleteQdisc(channel, qdisc) })),
    getRedirects: (filter = {}) => perform((channel) => getRedirects(channel, filter)),
    addRedirect: (redirect) => perform((channel) => ({ added: addRedirect(channel, redirect) })),
    deleteRedirect: (redirect) => perform((channel) => ({ deleted: deleteRedirect(channel, redirect) })),
    getFilters: (filter = {}) => perform((channel) => getFilters(channel, filter)),
    addFilter: (filter) => perform((channel) => ({ added: addFilter(channel, filter) })),
    replaceFilter: (filter) => perform((channel) => replaceFilter(channel, filter)),
    deleteFilter: (filter) => perform((channel) => ({ deleted: deleteFilter(channel, filter) })),
    getRules: (filter = {}) => perform((channel) => getRules(channel, filter)),
    addRule: (rule) => perform((channel) => ({ added: addRule(channel, rule) })),
    deleteRule: (rule) => perform((channel) => ({ deleted: deleteRule(channel, rule) })),
    close,
    [Symbol.dispose]: close,
  }
}
