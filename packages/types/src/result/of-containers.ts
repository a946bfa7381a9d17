import type { IpFamily } from '../ip/parse-address.ts'
import { parseCidr } from '../ip.ts'
import type { Interface, Result } from './model.ts'

/**
 * IP addresses of the container in a CNI result, without prefix length. Pure. Includes addresses without an interface,
 * which IPAM plugins return.
 *
 * @param filter - an omitted member matches every address.
 * @throws {@link CniError} with code 6 for an invalid address.
 * @example
 * ```ts
 * const interfaces = [{ name: 'cni0' }, { name: 'eth0', sandbox: '/run/netns/a' }]
 * const ips = [{ address: '10.1.0.1/24', interface: 0 }, { address: '10.1.0.2/24', interface: 1 }]
 * containerIps({ interfaces, ips }, { family: 'ipv4' }) // ['10.1.0.2']
 * ```
 */
export function containerIps(
  result: Result,
  filter: { readonly family?: IpFamily | undefined; readonly ifName?: string | undefined } = {},
): string[] {
  const { family, ifName } = filter
  const { interfaces = [], ips = [] } = result
  return ips.flatMap(({ address, interface: index = -1 }) => {
    const on = index < 0 ? undefined : interfaces[index]
    if (index < 0 ? ifName !== undefined : !isInContainer(on, ifName)) return []
    const ip = parseCidr(address)
    return family === undefined || family === `ipv${ip.family}` ? [ip.address] : []
  })
}

/**
 * Changes members of the container's named interface, such as its MAC. Returns the given object if the interface is
 * missing. Pure.
 *
 * @example
 * ```ts
 * changeInterface({ interfaces: [{ name: 'eth0', sandbox: '/run/netns/a' }] }, 'eth0', { mac: '02:00:00:00:00:07' })
 * // { interfaces: [{ name: 'eth0', sandbox: '/run/netns/a', mac: '02:00:00:00:00:07' }] }
 * ```
 */
export function changeInterface(result: Result, ifName: string, change: Partial<Interface>): Result {
  const { interfaces } = result
  if (!interfaces?.some((one) => isInContainer(one, ifName))) return result
  return { ...result, interfaces: interfaces.map((one) => (isInContainer(one, ifName) ? { ...one, ...change } : one)) }
}

function isInContainer(one: Interface | undefined, ifName: string | undefined): boolean {
  return Boolean(one?.sandbox) && (ifName === undefined || one?.name === ifName)
}
