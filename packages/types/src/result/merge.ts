import { CniError, ErrorCode } from '../errors.ts'
import type { Interface, IpConfig, Result, Route } from './model.ts'

/**
 * One result from several: what a plugin made itself, and what those it delegated to returned. Interfaces, addresses,
 * routes and resolver settings come in the order of the results, each once; addresses keep their interface, whose index
 * changes. Where results differ on anything else, the first one counts. Pure: nothing given is changed.
 *
 * @example
 * ```ts
 * const own = { interfaces: [{ name: 'eth0', sandbox: '/run/netns/a' }] }
 * mergeResults(own, { ips: [{ address: '10.1.0.2/24' }], routes: [{ dst: '0.0.0.0/0' }] })
 * // { interfaces: [{ name: 'eth0', … }], ips: [{ address: '10.1.0.2/24' }], routes: [{ dst: '0.0.0.0/0' }] }
 * ```
 */
export function mergeResults(...results: readonly Result[]): Result {
  const interfaces: Interface[] = []
  const ips: IpConfig[] = []
  const routes: Route[] = []
  let dns: Result['dns']
  let merged: Result = {}
  for (const result of results) {
    const places = (result.interfaces ?? []).map((one) => placeOf(interfaces, one))
    for (const ip of result.ips ?? []) addOnce(ips, ip.interface === undefined ? ip : moved(ip, places), isSameIp)
    for (const route of result.routes ?? []) addOnce(routes, route, isSameRoute)
    dns = mergeDns(dns, result.dns)
    merged = { ...result, ...merged }
  }
  return {
    ...merged,
    ...listed('interfaces', interfaces),
    ...listed('ips', ips),
    ...listed('routes', routes),
    ...(dns === undefined ? {} : { dns }),
  }
}

/**
 * The result with every address that has no interface on the one of that name in a container; the others stay. What an
 * IPAM plugin returns has no interfaces: the plugin that asked it knows them. Pure.
 *
 * @throws {@link CniError} with code 999 when the result has no such interface in a container.
 * @example
 * ```ts
 * assignInterface({ interfaces: [{ name: 'eth0', sandbox: '/run/netns/a' }], ips: [{ address: '10.1.0.2/24' }] }, 'eth0')
 * // its address has interface: 0
 * ```
 */
export function assignInterface(result: Result, ifName: string): Result {
  const { interfaces = [], ips } = result
  const index = interfaces.findIndex(({ name, sandbox }) => name === ifName && Boolean(sandbox))
  if (index < 0) {
    const there = interfaces.map(({ name, sandbox }) => `${name}${sandbox ? '' : ' (on the node)'}`).join(', ')
    const message = `the result has no interface ${JSON.stringify(ifName)} with a sandbox; it has ${there || 'none'}`
    throw new CniError(ErrorCode.internal, message)
  }
  if (ips === undefined) return result
  return { ...result, ips: ips.map((ip) => (hasInterface(ip) ? ip : { ...ip, interface: index })) }
}

/**
 * The routes of a result as they are to be set: one without a gateway goes over the first gateway that an address of its
 * family has, and stays without where there is none. Pure.
 *
 * @example
 * ```ts
 * resolveRoutes({ ips: [{ address: '10.1.0.2/24', gateway: '10.1.0.1' }], routes: [{ dst: '0.0.0.0/0' }] })
 * // [{ dst: '0.0.0.0/0', gw: '10.1.0.1' }]
 * ```
 */
export function resolveRoutes({ ips = [], routes = [] }: Result): Route[] {
  return routes.map((route) => {
    if (route.gw) return route
    const gateway = ips.find((ip) => ip.gateway && isIpv6(ip.address) === isIpv6(route.dst))?.gateway
    return gateway ? { ...route, gw: gateway } : route
  })
}

/** The index of an interface in the merged list; one that is there already gets the members that it lacks. */
function placeOf(all: Interface[], one: Interface): number {
  const index = all.findIndex(({ name, sandbox = '' }) => name === one.name && sandbox === (one.sandbox ?? ''))
  const known = all[index]
  if (known === undefined) return all.push(one) - 1
  all[index] = { ...one, ...known }
  return index
}

/** Older plugins write -1 for an address without an interface. */
const hasInterface = ({ interface: index = -1 }: IpConfig): boolean => index >= 0

/** An index that leads nowhere says nothing: in the merged list it could say something wrong. */
function moved(ip: IpConfig, places: readonly number[]): IpConfig {
  const { interface: index = -1, ...others } = ip
  const place = places[index]
  return place === undefined ? others : { ...ip, interface: place }
}

function addOnce<T>(all: T[], one: T, isSame: (a: T, b: T) => boolean): void {
  if (!all.some((other) => isSame(other, one))) all.push(one)
}

const isSameIp = (a: IpConfig, b: IpConfig) => a.address === b.address && a.interface === b.interface

const isSameRoute = (a: Route, b: Route) =>
  a.dst === b.dst && (a.gw ?? '') === (b.gw ?? '') && a.table === b.table && a.priority === b.priority

function mergeDns(first: Result['dns'], second: Result['dns']): Result['dns'] {
  if (first === undefined || second === undefined) return first ?? second
  const both = (one: readonly string[] = [], other: readonly string[] = []) => [...new Set([...one, ...other])]
  return {
    ...second,
    ...first,
    ...listed('nameservers', both(first.nameservers, second.nameservers)),
    ...listed('search', both(first.search, second.search)),
    ...listed('options', both(first.options, second.options)),
  }
}

const listed = <T>(name: string, all: T[]): Readonly<Record<string, T[]>> => (all.length === 0 ? {} : { [name]: all })

const isIpv6 = (address: string): boolean => address.includes(':')
