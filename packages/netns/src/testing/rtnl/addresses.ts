import { formatAddress } from '@cni/types/ip'
import { encodeAttributes } from '../../netlink/encode.ts'
import { decodeAddress } from '../../rtnl/address/decode.ts'
import { encodeAddress, parseCidr } from '../../rtnl/address/encode.ts'
import { addressDifference } from '../../rtnl/address/requests.ts'
import { formatPrefix, parsePrefix } from '../../rtnl/ip.ts'
import { linkText } from '../../rtnl/link/wire.ts'
import type { Address, NewAddress } from '../../rtnl/port/address.ts'
import type { AddressFilter } from '../../rtnl/port/arguments.ts'
import { linkOf } from '../../rtnl/port/on-link.ts'
import { connect, disconnect } from './consequences.ts'
import { type Device, type Namespace, refusal, requireDevice } from './world.ts'

export function listAddresses(netns: Namespace, { link, family, scope }: AddressFilter): Address[] {
  const index = link === undefined ? undefined : requireDevice(netns, link, 'List addresses').index
  return netns.addresses.filter(
    (address) =>
      (index === undefined || address.linkIndex === index) &&
      (family === undefined || address.family === family) &&
      (scope === undefined || address.scope === scope),
  )
}

export function putAddress(netns: Namespace, wanted: NewAddress): boolean {
  const { what, device } = prepare(netns, 'Add', wanted)
  const prefix = parseCidr(wanted.cidr)
  const text = formatAddress(prefix.bytes)
  const own = netns.addresses.filter(({ linkIndex }) => linkIndex === device.index)
  const clash = own.some(
    ({ address, prefixLength }) => address === text && (prefix.family === 'ipv6' || prefixLength === prefix.length),
  )
  if (clash) {
    const difference = addressDifference(own, wanted)
    if (difference === undefined) return false
    throw refusal(what, 'EEXIST', difference)
  }
  // Encodes and decodes the fake kernel's address, to get the values of the real kernel.
  const { fixed, attributes } = encodeAddress(wanted, device.index)
  const read = decodeAddress(encodeAttributes(attributes, fixed))
  if (read === undefined) return false
  const { name } = device.settings
  const address = { ...read, ...(read.family === 'ipv4' ? { label: wanted.label ?? name } : {}) }
  netns.addresses.push(address)
  if (device.settings.up) connect(netns, address)
  return true
}

export function dropAddress(netns: Namespace, wanted: NewAddress): boolean {
  const { device } = prepare(netns, 'Delete', wanted)
  const prefix = parseCidr(wanted.cidr)
  const cidr = `${formatAddress(prefix.bytes)}/${prefix.length}`
  const gone = netns.addresses.find((address) => address.cidr === cidr && address.linkIndex === device.index)
  if (gone === undefined) return false
  const network = formatPrefix(parsePrefix(gone.cidr))
  const isFirst = netns.addresses.find((each) => isIn(each, device, network)) === gone
  // Deletes secondary IPv4 addresses with the first address of their network, as the kernel does.
  const goes = (each: Address): boolean =>
    each === gone || (gone.family === 'ipv4' && isFirst && isIn(each, device, network))
  for (const address of netns.addresses.filter(goes)) disconnect(netns, address)
  netns.addresses = netns.addresses.filter((address) => !goes(address))
  for (const address of netns.addresses)
    if (device.settings.up && address.linkIndex === device.index) connect(netns, address)
  return true
}

function isIn({ cidr, linkIndex, peer }: Address, { index }: Device, network: string): boolean {
  return linkIndex === index && peer === undefined && formatPrefix(parsePrefix(cidr)) === network
}

function prepare(netns: Namespace, verb: string, address: NewAddress) {
  const name = `${verb} address ${JSON.stringify(address.cidr)}`
  const link = linkOf(address, name)
  const what = `${name} on ${linkText(link)}`
  encodeAddress(address, 1)
  return { what, device: requireDevice(netns, link, what) }
}
