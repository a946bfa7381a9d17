import type { Address, AddressFilter } from './address.ts'
import { addAddress, deleteAddress, getAddresses } from './address-requests.ts'
import type { Channel } from './channel.ts'
import type { IpFamily } from './ip.ts'
import type { Link, LinkSpec } from './link.ts'
import { addLink, deleteLink, findLink, getLinks, setLink } from './link-requests.ts'
import type { NewRoute, Route, RouteFilter } from './route.ts'
import { addRoute, deleteRoute, getRoutes } from './route-requests.ts'
import type { NewRule, Rule } from './rule.ts'
import { addRule, deleteRule, getRules } from './rule-requests.ts'

/**
 * Links, addresses, routes and rules of one namespace. Adding what is there, and deleting what is not, is no error
 * and says so; adding what is there but different is `EEXIST`.
 * Errors are `NetnsError` with the errno name (`ENODEV`, `EPERM` …) and the kernel's own explanation.
 */
export interface Rtnl extends Disposable {
  getLinks(): Promise<Link[]>
  /** `undefined` when there is no such link. */
  getLink(name: string): Promise<Link | undefined>
  addLink(link: LinkSpec): Promise<{ added: boolean }>
  deleteLink(name: string): Promise<{ deleted: boolean }>
  setLinkUp(name: string): Promise<void>
  setLinkDown(name: string): Promise<void>
  getAddresses(filter?: AddressFilter): Promise<Address[]>
  addAddress(link: string, cidr: string): Promise<{ added: boolean }>
  deleteAddress(link: string, cidr: string): Promise<{ deleted: boolean }>
  getRoutes(filter?: RouteFilter): Promise<Route[]>
  addRoute(route: NewRoute): Promise<{ added: boolean }>
  /** What is not said about the route matches anything; one is deleted. */
  deleteRoute(route: NewRoute): Promise<{ deleted: boolean }>
  getRules(family?: IpFamily): Promise<Rule[]>
  addRule(rule: NewRule): Promise<{ added: boolean }>
  /** Deletes exactly that rule, of any priority when none is given. */
  deleteRule(rule: NewRule): Promise<{ deleted: boolean }>
  close(): void
}

/** The operations over a channel. Each is done when it returns; promises leave room for other transports. */
export function rtnlOver(channel: Channel): Rtnl {
  return {
    getLinks: async () => getLinks(channel),
    getLink: async (name) => findLink(channel, name),
    addLink: async (link) => ({ added: addLink(channel, link) }),
    deleteLink: async (name) => ({ deleted: deleteLink(channel, name) }),
    setLinkUp: async (name) => setLink(channel, name, 'up'),
    setLinkDown: async (name) => setLink(channel, name, 'down'),
    getAddresses: async (filter = {}) => getAddresses(channel, filter),
    addAddress: async (link, cidr) => ({ added: addAddress(channel, link, cidr) }),
    deleteAddress: async (link, cidr) => ({ deleted: deleteAddress(channel, link, cidr) }),
    getRoutes: async (filter = {}) => getRoutes(channel, filter),
    addRoute: async (route) => ({ added: addRoute(channel, route) }),
    deleteRoute: async (route) => ({ deleted: deleteRoute(channel, route) }),
    getRules: async (family) => getRules(channel, family),
    addRule: async (rule) => ({ added: addRule(channel, rule) }),
    deleteRule: async (rule) => ({ deleted: deleteRule(channel, rule) }),
    close: () => channel.close(),
    [Symbol.dispose]: () => channel.close(),
  }
}
