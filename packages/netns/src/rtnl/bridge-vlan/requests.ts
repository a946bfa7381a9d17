import { NetnsError } from '../../handle/netns-error.ts'
import type { RequestChannel } from '../../netlink/channel.ts'
import { firstDifference } from '../check.ts'
import { RTM_DELLINK, RTM_GETLINK, RTM_SETLINK } from '../constants.ts'
import { linkIndex, requireLink } from '../link/requests.ts'
import { linkText } from '../link/wire.ts'
import type { BridgeVlan, BridgeVlanFilter, NewBridgeVlan } from '../port/arguments.ts'
import { linkOf } from '../port/on-link.ts'
import { decodeVlans, encodeVlans, vlanQuery } from './codec.ts'

export function getBridgeVlans(channel: RequestChannel, { link }: BridgeVlanFilter): BridgeVlan[] {
  const what = 'List VLANs of bridges'
  const index = link === undefined ? undefined : linkIndex(channel, link, what)
  return channel
    .dump({ type: RTM_GETLINK, ...vlanQuery(), what })
    .flatMap(({ body }) => decodeVlans(body))
    .filter((vlan) => index === undefined || vlan.linkIndex === index)
}

export function addBridgeVlan(channel: RequestChannel, vlan: NewBridgeVlan): boolean {
  const { what, index, encoded } = prepare(channel, 'Add', vlan)
  // Looks for the VLAN first. The kernel overwrites the flags of an existing VLAN without an error.
  const missing = missingVlans(getBridgeVlans(channel, { link: index }), vlan, what)
  if (missing.length === 0) return false
  channel.ask({ type: RTM_SETLINK, ...encoded, what })
  return true
}

export function deleteBridgeVlan(channel: RequestChannel, vlan: NewBridgeVlan): boolean {
  const { what, index, encoded } = prepare(channel, 'Delete', vlan)
  const { vid, lastVid = vid } = vlan
  const there = getBridgeVlans(channel, { link: index }).some((each) => each.vid >= vid && each.vid <= lastVid)
  if (there) channel.ask({ type: RTM_DELLINK, ...encoded, what })
  return there
}

/** Returns the wanted VLANs that the port or bridge lacks. Throws `EEXIST` if a VLAN exists with other flags. */
export function missingVlans(existing: readonly BridgeVlan[], wanted: NewBridgeVlan, what: string): number[] {
  const { vid, lastVid = vid, pvid = false, untagged = false } = wanted
  const missing: number[] = []
  for (let id = vid; id <= lastVid; id++) {
    const there = existing.find((each) => each.vid === id)
    if (there === undefined) {
      missing.push(id)
      continue
    }
    const difference = firstDifference(there, { pvid, untagged })
    if (difference !== undefined) {
      throw new NetnsError('EEXIST', `${what}: EEXIST, there is VLAN ${id}, whose ${difference}`)
    }
  }
  return missing
}

function prepare(channel: RequestChannel, verb: string, vlan: NewBridgeVlan) {
  const { vid, lastVid = vid } = vlan
  const name = `${verb} VLAN ${vid === lastVid ? vid : `${vid}-${lastVid}`}`
  const ref = linkOf(vlan, name)
  const what = `${name} of ${linkText(ref)}`
  encodeVlans(vlan, 1, false)
  const { index, kind, master } = requireLink(channel, ref, what)
  if (kind !== 'bridge' && master === undefined) {
    throw new NetnsError('EOPNOTSUPP', `${what}: EOPNOTSUPP, it is neither a bridge nor a port of one`)
  }
  return { what, index, encoded: encodeVlans(vlan, index, kind === 'bridge') }
}
