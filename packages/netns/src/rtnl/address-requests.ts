import { formatAddress } from '@cni/types/ip'
import type { Questions } from '../netlink/channel.ts'
import { NLM_F_CREATE, NLM_F_EXCL } from '../netlink/constants.ts'
import { type Address, type AddressFilter, addressQuery, decodeAddress, encodeAddress } from './address.ts'
import { unlessAlready } from './already.ts'
import { RTM_DELADDR, RTM_GETADDR, RTM_NEWADDR } from './constants.ts'
import { parsePrefix } from './ip.ts'
import { linkIndex } from './link-requests.ts'

export function getAddresses(channel: Questions, filter: AddressFilter): Address[] {
  const what = 'List addresses'
  const index = filter.link === undefined ? undefined : linkIndex(channel, filter.link, what)
  return channel
    .dump({ type: RTM_GETADDR, fixed: addressQuery(filter.family), what })
    .flatMap(({ body }) => decodeAddress(body) ?? [])
    .filter((address) => index === undefined || address.linkIndex === index)
}

export function addAddress(channel: Questions, link: string, cidr: string): boolean {
  const what = `Add address ${JSON.stringify(cidr)} on ${JSON.stringify(link)}`
  const prefix = parsePrefix(cidr)
  const text = `${formatAddress(prefix.bytes)}/${prefix.length}`
  const encoded = encodeAddress(prefix, linkIndex(channel, link, what))
  return unlessAlready(
    ['EEXIST'],
    () => channel.ask({ type: RTM_NEWADDR, flags: NLM_F_CREATE | NLM_F_EXCL, ...encoded, what }),
    // of IPv6 the kernel compares the address without its prefix length
    () => getAddresses(channel, { link }).some((address) => address.cidr === text),
  )
}

export function deleteAddress(channel: Questions, link: string, cidr: string): boolean {
  const what = `Delete address ${JSON.stringify(cidr)} on ${JSON.stringify(link)}`
  const encoded = encodeAddress(parsePrefix(cidr), linkIndex(channel, link, what))
  return unlessAlready(['EADDRNOTAVAIL'], () => channel.ask({ type: RTM_DELADDR, ...encoded, what }))
}
