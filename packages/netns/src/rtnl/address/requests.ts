import { formatAddress } from '@cni/types/ip'
import type { RequestChannel } from '../../netlink/channel.ts'
import { NLM_F_CREATE, NLM_F_EXCL } from '../../netlink/constants.ts'
import { unlessAlready } from '../already.ts'
import { firstDifference } from '../check.ts'
import { RTM_DELADDR, RTM_GETADDR, RTM_NEWADDR } from '../constants.ts'
import { prepareOnLink } from '../link/prepare-on-link.ts'
import { linkIndex } from '../link/requests.ts'
import type { Address, NewAddress } from '../port/address.ts'
import type { AddressFilter } from '../port/arguments.ts'
import { decodeAddress } from './decode.ts'
import { addressQuery, encodeAddress, parseCidr } from './encode.ts'

export function getAddresses(channel: RequestChannel, filter: AddressFilter): Address[] {
  const what = 'List addresses'
  const index = filter.link === undefined ? undefined : linkIndex(channel, filter.link, what)
  return channel
    .dump({ type: RTM_GETADDR, fixed: addressQuery(filter.family), what })
    .flatMap(({ body }) => decodeAddress(body) ?? [])
    .filter(
      (address) =>
        (index === undefined || address.linkIndex === index) &&
        (filter.scope === undefined || address.scope === filter.scope),
    )
}

export function addAddress(channel: RequestChannel, address: NewAddress): boolean {
  const { what, index, encoded } = prepare(channel, 'Add', address)
  return unlessAlready(
    ['EEXIST'],
    () => channel.ask({ type: RTM_NEWADDR, flags: NLM_F_CREATE | NLM_F_EXCL, ...encoded, what }),
    // The kernel reports EEXIST for IPv6 even if the prefix lengths differ.
    () => addressDifference(getAddresses(channel, { link: index }), address),
  )
}

export function deleteAddress(channel: RequestChannel, address: NewAddress): boolean {
  const { what, encoded } = prepare(channel, 'Delete', address)
  return unlessAlready(['EADDRNOTAVAIL'], () => channel.ask({ type: RTM_DELADDR, ...encoded, what }))
}

/** Describes how an IP address of the kernel differs from the wanted one. `undefined` means no difference. */
export function addressDifference(existing: readonly Address[], wanted: NewAddress): string | undefined {
  const prefix = parseCidr(wanted.cidr)
  const text = formatAddress(prefix.bytes)
  const there = existing.filter(({ address }) => address === text)
  const { peer } = wanted
  const said = { prefixLength: prefix.length, ...(peer === undefined || peer === text ? {} : { peer }) }
  const differences = there.map((address) => firstDifference(address, said))
  if (differences.includes(undefined)) return undefined
  return differences.length === 0 ? 'it was there, and has gone meanwhile' : `it exists, but its ${differences[0]}`
}

const prepare = (channel: RequestChannel, verb: string, address: NewAddress) =>
  prepareOnLink(channel, [`${verb} address ${JSON.stringify(address.cidr)}`, 'on'], address, encodeAddress)
