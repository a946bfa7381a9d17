import { createHash } from 'node:crypto'
import type { NewAddress, NewRoute } from '@cni/netns'
import { CniError, ErrorCode, type IpConfig, type Result, resolveRoutes } from '@cni/types'

/** Planned addresses and routes of a veth pair, for the pod's end and the node's end. */
export interface Plan {
  /** Leased addresses with prefix length /32 or /128, so that all traffic goes to the node. */
  readonly ips: IpConfig[]
  readonly pod: { readonly addresses: readonly NewAddress[]; readonly routes: readonly NewRoute[] }
  readonly node: { readonly addresses: readonly NewAddress[]; readonly routes: readonly NewRoute[] }
  readonly hasIpv6: boolean
}

/** Key of an attachment: network, container and interface of a plugin call. */
interface Attachment {
  readonly networkName: string
  readonly containerID: string
  readonly ifName: string
}

/** Name of the veth's end on the node. It is a hash, because the kernel limits the length of names. */
export function hostLinkOf({ networkName, containerID, ifName }: Attachment): string {
  const digest = createHash('sha256').update(`${networkName}\0${containerID}\0${ifName}`).digest('hex')
  return `ptp${digest.slice(0, 12)}`
}

/**
 * Plans the addresses and routes of a veth pair, without changing anything.
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

/** Replaces an address's prefix length by /32 or /128, so that the address is alone in its network. */
function alone(address: string): string {
  return `${address.split('/')[0]}/${isIpv6(address) ? 128 : 32}`
}

/** Disables duplicate address detection for an IPv6 address, because no other host is on the veth pair. */
const on = (link: string, cidr: string): NewAddress => ({ link, cidr, ...(isIpv6(cidr) ? { noDad: true } : {}) })

const isIpv6 = (address: string): boolean => address.includes(':')
