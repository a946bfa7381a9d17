import { CniError, ErrorCode } from '../errors.ts'
import type { Interface, IpConfig, Result, Route } from './model.ts'

/**
 * Merges several CNI results into one. Pure: does not change its arguments. Interfaces, addresses, routes and DNS
 * settings are kept, each once. For all other members the first result wins.
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
    const indexes = (result.interfaces ?? []).map((one) => indexOf(interfaces, one))
    for (const ip of result.ips ?? []) addOnce(ips, ip.interface === undefined ? ip : moved(ip, indexes), isSameIp)
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
 * Assigns addresses that have no interface to the container's named interface. Use the function after a call of an IPAM
 * plugin, which returns no interfaces. Pure.
 *
 * @throws {@link CniError} with code 999 if the result has no interface of that name with a sandbox.
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
 * Adds the first gateway of the same family to routes without one. Pure.
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

/** Index of an interface in the merged list. Adds the interface if necessary. */
function indexOf(all: Interface[], one: Interface): number {
  const index = all.findIndex(({ name, sandbox = '' }) => name === one.name && sandbox === (one.sandbox ?? ''))
  const known = all[index]
  if (known === undefined) return all.push(one) - 1
  all[index] = { ...one, ...known }
  return index
}

/** True if an address has an interface. Older plugins write the index -1 for an address without an interface. */
const hasInterface = ({ interface: index = -1 }: IpConfig): boolean => index >= 0

/** Drops an invalid interface index, because it could refer to a wrong interface after merging. */
function moved(ip: IpConfig, indexes: readonly number[]): IpConfig {
  const { interface: index = -1, ...others } = ip
  const moved = indexes[index]
  return moved === undefined ? others : { ...ip, interface: moved }
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
