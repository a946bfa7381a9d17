import type { Questions } from '../netlink/channel.ts'
import type { Address, AddressFilter } from './address.ts'
import { addAddress, deleteAddress, getAddresses } from './address-requests.ts'
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

/** How the operations reach the kernel. */
export interface Transport {
  /** Calls an operation with what it asks its questions of. */
  perform<T>(operation: (channel: Questions) => T): Promise<T>
  close(): void
}

/** The operations over a transport. */
export function rtnlOver({ perform, close }: Transport): Rtnl {
  return {
    getLinks: () => perform(getLinks),
    getLink: (name) => perform((channel) => findLink(channel, name)),
    addLink: (link) => perform((channel) => ({ added: addLink(channel, link) })),
    deleteLink: (name) => perform((channel) => ({ deleted: deleteLink(channel, name) })),
    setLinkUp: (name) => perform((channel) => setLink(channel, name, 'up')),
    setLinkDown: (name) => perform((channel) => setLink(channel, name, 'down')),
    getAddresses: (filter = {}) => perform((channel) => getAddresses(channel, filter)),
    addAddress: (link, cidr) => perform((channel) => ({ added: addAddress(channel, link, cidr) })),
    deleteAddress: (link, cidr) => perform((channel) => ({ deleted: deleteAddress(channel, link, cidr) })),
    getRoutes: (filter = {}) => perform((channel) => getRoutes(channel, filter)),
    addRoute: (route) => perform((channel) => ({ added: addRoute(channel, route) })),
    deleteRoute: (route) => perform((channel) => ({ deleted: deleteRoute(channel, route) })),
    getRules: (family) => perform((channel) => getRules(channel, family)),
    addRule: (rule) => perform((channel) => ({ added: addRule(channel, rule) })),
    deleteRule: (rule) => perform((channel) => ({ deleted: deleteRule(channel, rule) })),
    close,
    [Symbol.dispose]: close,
  }
}
