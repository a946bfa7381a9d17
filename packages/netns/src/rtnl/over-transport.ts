import type { NetnsTarget } from '../handle/netns.ts'
import { addAddress, deleteAddress, getAddresses } from './address/requests.ts'
import { elsewhere } from './link/elsewhere.ts'
import { deleteLink, findLink, getLinks, setLinkState } from './link/requests.ts'
import { addRoute, deleteRoute, getRoutes, replaceRoute } from './route/requests.ts'
import { addressOf, type Rtnl } from './rtnl.ts'
import { addRule, deleteRule, getRules } from './rule/requests.ts'
import type { Transport } from './transport.ts'

/** The operations over a transport to a namespace. */
export function rtnlOver({ perform, close }: Transport, target: NetnsTarget): Rtnl {
  const { addLink, setLink } = elsewhere(perform, target)
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
    getRules: (family) => perform((channel) => getRules(channel, family)),
    addRule: (rule) => perform((channel) => ({ added: addRule(channel, rule) })),
    deleteRule: (rule) => perform((channel) => ({ deleted: deleteRule(channel, rule) })),
    close,
    [Symbol.dispose]: close,
  }
}
