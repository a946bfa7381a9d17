import { formatAddress } from '@cni/types/ip'
import { NetnsError } from '../../handle/netns-error.ts'
import type { RequestChannel } from '../../netlink/channel.ts'
import { NLM_F_CREATE, NLM_F_EXCL, NLM_F_REPLACE } from '../../netlink/constants.ts'
import { unlessAlready } from '../already.ts'
import { firstDifference } from '../check.ts'
import { RTM_DELNEIGH, RTM_GETNEIGH, RTM_NEWNEIGH } from '../constants.ts'
import { parseAddress } from '../ip.ts'
import { formatMac, parseMac } from '../link/mac.ts'
import { prepareOnLink } from '../link/prepare-on-link.ts'
import { linkIndex } from '../link/requests.ts'
import type { NeighbourFilter, NewNeighbour } from '../port/arguments.ts'
import type { Neighbour } from '../port/neighbour.ts'
import { decodeNeighbour, encodeNeighbour, neighbourQuery } from './codec.ts'

export function getNeighbours(channel: RequestChannel, { link, family, proxy = false }: NeighbourFilter): Neighbour[] {
  const what = 'List neighbours'
  const index = link === undefined ? undefined : linkIndex(channel, link, what)
  return channel
    .dump({ type: RTM_GETNEIGH, fixed: neighbourQuery(family, proxy), what })
    .flatMap(({ body }) => decodeNeighbour(body) ?? [])
    .filter((neighbour) => index === undefined || neighbour.linkIndex === index)
}

export function addNeighbour(channel: RequestChannel, neighbour: NewNeighbour): boolean {
  const { what, index, encoded } = prepare(channel, 'Add', neighbour)
  checkMac(neighbour, what)
  const existing = () => getNeighbours(channel, { link: index, proxy: neighbour.proxy ?? false })
  // Looks for the proxy entry first. The kernel reports no error if the proxy entry exists already.
  if (neighbour.proxy && neighbourDifference(existing(), neighbour) === undefined) return false
  return unlessAlready(
    ['EEXIST'],
    () => channel.ask({ type: RTM_NEWNEIGH, flags: NLM_F_CREATE | NLM_F_EXCL, ...encoded, what }),
    () => neighbourDifference(existing(), neighbour),
  )
}

/** Adds a neighbour (ARP, NDP) entry, or replaces the existing entry for the same address. */
export function replaceNeighbour(channel: RequestChannel, neighbour: NewNeighbour): void {
  const { what, encoded } = prepare(channel, 'Replace', neighbour)
  checkMac(neighbour, what)
  channel.ask({ type: RTM_NEWNEIGH, flags: NLM_F_CREATE | NLM_F_REPLACE, ...encoded, what })
}

export function deleteNeighbour(channel: RequestChannel, neighbour: NewNeighbour): boolean {
  const { what, encoded } = prepare(channel, 'Delete', neighbour)
  return unlessAlready(['ENOENT'], () => channel.ask({ type: RTM_DELNEIGH, ...encoded, what }))
}

/** Describes how the existing neighbour entry differs from the wanted one. `undefined` means no difference. */
export function neighbourDifference(existing: readonly Neighbour[], wanted: NewNeighbour): string | undefined {
  const address = formatAddress(parseAddress(wanted.address).bytes)
  const there = existing.find((each) => each.address === address)
  if (there === undefined) return 'another process has removed it since'
  const { mac, state, proxy = false, router } = wanted
  const said = { mac: mac === undefined ? undefined : formatMac(parseMac(mac)), router }
  const difference = firstDifference(there, { ...said, state: proxy ? undefined : (state ?? 'permanent') })
  return difference === undefined ? undefined : `it exists, but its ${difference}`
}

/** Checks that a neighbour entry has a `mac`, because the kernel accepts an entry without `mac`. */
export function checkMac({ mac, proxy, state }: NewNeighbour, what: string): void {
  if (mac !== undefined || proxy || state === 'noarp') return
  throw new NetnsError('INVALID', `${what}: mac is missing: the MAC address of the neighbour`)
}

const prepare = (channel: RequestChannel, verb: string, neighbour: NewNeighbour) =>
  prepareOnLink(channel, [`${verb} neighbour ${JSON.stringify(neighbour.address)}`, 'on'], neighbour, encodeNeighbour)
