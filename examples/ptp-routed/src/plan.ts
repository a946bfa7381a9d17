import { createHash } from 'node:crypto'
import type { NewAddress, NewRoute } from '@cni/netns'
import { CniError, ErrorCode, type IpConfig, type Result, resolveRoutes } from '@cni/types'

/** Configuration of both ends of the cable. */
export interface Plan {
  /** The leased addresses, each alone in its network: the node routes all traffic. */
  readonly ips: IpConfig[]
  readonly pod: { readonly addresses: readonly NewAddress[]; readonly routes: readonly NewRoute[] }
  readonly node: { readonly addresses: readonly NewAddress[]; readonly routes: readonly NewRoute[] }
  readonly hasIpv6: boolean
}

/** Identity of an attachment, from the context of a call. */
interface Attachment {
  readonly networkName: string
  readonly containerID: string
  readonly ifName: string
}

/** Name of the node's end: the same for each ADD of an attachment, and short enough for the kernel. */
export function hostLinkOf({ networkName, containerID, ifName }: Attachment): string {
  const digest = createHash('sha256').update(`${networkName}\0${containerID}\0${ifName}`).digest('hex')
  return `ptp${digest.slice(0, 12)}`
}

/**
 * Computes the configuration without applying it. A pod reaches everything over its gateway, the node's end of its
 * cable. The node reaches the pod by a route.
 *
 * @throws CniError 7 for an address without a gateway
 */
export function planOf(leased: Result, ifName: string, hostLink: string): Plan {
  const ips = (leased.ips ?? []).map((ip) => ({ ...ip, address: alone(ip.address) }))
  const gateways = [...new Set(ips.map(gatewayOf))].map(alone)
  return {
    ips,
    pod: {
      addresses: ips.map(({ address }) => on(ifName, address)),
      routes: [
        ...gateways.map((cidr) => ({ cidr, link: ifName })),
        ...resolveRoutes(leased).map(({ dst, gw, mtu, advmss, priority, table }) => ({
          ...{ cidr: dst, gateway: gw, link: ifName },
          ...{ mtu, advMss: advmss, metric: priority, table },
        })),
      ],
    },
    node: {
      addresses: gateways.map((cidr) => on(hostLink, cidr)),
      routes: ips.map(({ address }) => ({ cidr: address, link: hostLink })),
    },
    hasIpv6: ips.some(({ address }) => isIpv6(address)),
  }
}

function gatewayOf({ address, gateway }: IpConfig): string {
  if (gateway) return gateway
  throw new CniError(ErrorCode.invalidNetworkConfig, `ipam: there is no gateway for the address ${address}`)
}

/** The address with a full-length prefix, as the only address in its network. */
function alone(address: string): string {
  return `${address.split('/')[0]}/${isIpv6(address) ? 128 : 32}`
}

/** Adds addresses without duplicate address detection, because no other host is on the cable. */
const on = (link: string, cidr: string): NewAddress => ({ link, cidr, ...(isIpv6(cidr) ? { noDad: true } : {}) })

const isIpv6 = (address: string): boolean => address.includes(':')
