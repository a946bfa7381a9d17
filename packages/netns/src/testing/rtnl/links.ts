import { NetnsError } from '../../handle/netns-error.ts'
import { reduceChange } from '../../rtnl/link/change.ts'
import { encodeLinkChange, encodeNewLink, encodePortChange } from '../../rtnl/link/encode.ts'
import { differenceOf } from '../../rtnl/link/requests.ts'
import { checkChange } from '../../rtnl/link/set-link.ts'
import { linkName, linkText } from '../../rtnl/link/wire.ts'
import type { LinkChange } from '../../rtnl/port/arguments.ts'
import type { Link, LinkRef, LinkToAdd } from '../../rtnl/port/link.ts'
import { bringDown, bringUp, forget } from './consequences.ts'
import { NEW_PORT, settingsOf } from './settings.ts'
import {
  type Device,
  findDevice,
  type Namespace,
  refusal,
  requireDevice,
  type Settings,
  viewOf,
  type World,
} from './world.ts'

/** Adds a link to the fake kernel, and the peer of a veth. Returns `false` if the link exists. */
export function addDevice(world: World, here: Namespace, link: LinkToAdd): boolean {
  const what = `Add ${link.kind} link ${linkText(link.name)}`
  const home = link.netns === undefined ? here : world.namespace(link.netns)
  const master = link.master === undefined ? undefined : requireDevice(here, link.master, what)
  const parent = link.parent === undefined ? undefined : findDevice(here, link.parent)
  if (link.parent !== undefined && parent === undefined && link.kind !== 'veth') {
    throw refusal(what, 'ENODEV', `there is no link ${linkText(link.parent)}`)
  }
  // Encodes the new link only because the encoder throws for invalid values.
  encodeNewLink(
    { ...link, netns: undefined, peer: link.peer && { ...link.peer, netns: undefined } },
    { parent: parent?.index },
  )
  if (link.bridgePort !== undefined) encodePortChange(1, { bridgePort: link.bridgePort })
  const there = findDevice(home, link.name)
  if (there !== undefined) {
    const difference = differenceOf(viewOf(there), link, { master: master?.index, parent: parent?.index })
    if (difference === undefined) return false
    throw new NetnsError('EEXIST', `${what}: EEXIST: ${difference}`)
  }
  const peerHome = link.peer?.netns === undefined ? here : world.namespace(link.peer.netns)
  if (link.peer !== undefined && findDevice(peerHome, link.peer.name) !== undefined) {
    throw refusal(what, 'EEXIST', `its other end ${linkText(link.peer.name)} already exists`)
  }
  if (parent?.settings.loopback) throw refusal(what, 'EINVAL')
  for (const end of [link, link.peer]) if (end !== undefined) checkLimits(end, link.kind, what)
  const device: Device = { index: world.nextIndex(), netns: home, settings: settingsOf(link) }
  if (link.kind === 'vlan' || link.kind === 'macvlan' || link.kind === 'ipvlan' || link.kind === 'vxlan')
    device.parent = parent
  if (master !== undefined) checkMaster(device.settings, master, what)
  if (master !== undefined) enslave(device, master)
  else joinDefaultVlan(device, device.settings)
  if (link.bridgePort !== undefined)
    device.settings = { ...device.settings, bridgePort: { ...NEW_PORT, ...link.bridgePort } }
  home.devices.push(device)
  if (link.peer !== undefined) {
    const peer: Device = {
      index: world.nextIndex(),
      netns: peerHome,
      settings: settingsOf({ ...link.peer, kind: 'veth' }),
      peer: device,
    }
    device.peer = peer
    peerHome.devices.push(peer)
    if (peer.settings.up) bringUp(peer)
  }
  if (device.settings.up) bringUp(device)
  return true
}

/** Deletes a link of the fake kernel, with its peer and child links. */
export function deleteDevice(world: World, here: Namespace, ref: LinkRef): boolean {
  const device = findDevice(here, ref)
  if (device === undefined) return false
  if (device.settings.kind === undefined) throw refusal(`Delete link ${linkText(ref)}`, 'EOPNOTSUPP')
  remove(world, device)
  return true
}

/** Changes a link of the fake kernel: sets all given members, or none if a member is invalid. */
export function changeDevice(
  world: World,
  here: Namespace,
  ref: LinkRef,
  change: LinkChange,
): { changed: boolean; before: Link } {
  const what = `Set link ${linkText(ref)}`
  const device = requireDevice(here, ref, what)
  const before = viewOf(device)
  const { master, netns, name } = change
  const newMaster = master === undefined || master === null ? undefined : requireDevice(here, master, what)
  const masterIndex = master === null ? 0 : newMaster?.index
  const home = netns === undefined ? here : world.namespace(netns)
  checkChange(before, change, masterIndex, what)
  const reduced = reduceChange(before, change, masterIndex)
  if (reduced !== undefined) {
    encodeLinkChange(device.index, reduced, {})
    encodePortChange(device.index, reduced)
  }
  if (reduced === undefined && home === here) return { changed: false, before }
  if (name !== undefined) linkName(name)
  const taken = findDevice(home, name ?? before.name)
  if (taken !== undefined && taken !== device) throw refusal(what, 'EEXIST')
  checkLimits(change, before.kind, what)
  if (newMaster !== undefined) checkMaster(device.settings, newMaster, what)

  if (home !== here) moveTo(device, home)
  apply(device, reduced ?? {}, change, newMaster)
  return { changed: true, before }
}

function apply(device: Device, reduced: object, change: LinkChange, master: Device | undefined): void {
  const { bridge, vxlan, geneve, bridgePort, netns: _, master: __, ...plain } = change
  const { settings } = device
  const wasUp = settings.up
  const said = Object.fromEntries(Object.entries(plain).filter(([, value]) => value !== undefined))
  device.settings = {
    ...settings,
    ...said,
    ...(change.mac === undefined ? {} : { mac: change.mac.toLowerCase() }),
    ...(bridge === undefined ? {} : { bridge: { ...settings.bridge, ...bridge } }),
    ...(vxlan === undefined || settings.vxlan === undefined ? {} : { vxlan: { ...settings.vxlan, ...vxlan } }),
    ...(geneve === undefined || settings.geneve === undefined ? {} : { geneve: { ...settings.geneve, ...geneve } }),
  }
  if (change.alias === '') Reflect.deleteProperty(device.settings, 'alias')
  if (change.master === null) release(device)
  if (master !== undefined && 'master' in reduced) enslave(device, master)
  if (bridgePort !== undefined) {
    device.settings = { ...device.settings, bridgePort: { ...device.settings.bridgePort, ...bridgePort } }
  }
  if (!wasUp && device.settings.up) bringUp(device)
  if (wasUp && !device.settings.up) bringDown(device)
}

/** Prepares a link for its move to another namespace: sets the link down and removes its addresses and routes. */
function moveTo(device: Device, home: Namespace): void {
  bringDown(device)
  forget(device)
  release(device)
  device.netns.devices.splice(device.netns.devices.indexOf(device), 1)
  device.settings = { ...device.settings, up: false }
  device.netns = home
  home.devices.push(device)
}

function remove(world: World, device: Device): void {
  const { netns, peer } = device
  const at = netns.devices.indexOf(device)
  if (at === -1) return
  bringDown(device)
  forget(device)
  netns.devices.splice(at, 1)
  if (peer !== undefined) remove(world, peer)
  for (const other of [...netns.devices]) if (other.master === device) release(other)
  for (const other of world.devices()) if (other.parent === device) remove(world, other)
}

function checkMaster({ kind, loopback }: Settings, master: Device, what: string): void {
  if (master.settings.kind !== 'bridge')
    throw refusal(what, 'EOPNOTSUPP', 'Device does not allow enslaving to a bridge')
  if (kind === 'bridge') throw refusal(what, 'ELOOP', 'Can not enslave a bridge to a bridge')
  if (loopback) throw refusal(what, 'EINVAL', 'Can not enslave a loopback device')
}

function enslave(device: Device, master: Device): void {
  release(device)
  device.master = master
  device.settings = { ...device.settings, bridgePort: { ...NEW_PORT } }
  joinDefaultVlan(device, master.settings)
}

/** Adds the bridge's default VLAN to a port or to the bridge itself. */
function joinDefaultVlan({ netns, index }: Device, { bridge }: Settings): void {
  const vid = bridge?.vlanDefaultPvid ?? 0
  if (vid !== 0) netns.vlans.push({ linkIndex: index, vid, pvid: true, untagged: true })
}

function release(device: Device): void {
  const { netns, index, master } = device
  const { bridgePort: _, ...rest } = device.settings
  device.settings = rest
  device.master = undefined
  if (master !== undefined) netns.vlans = netns.vlans.filter(({ linkIndex }) => linkIndex !== index)
}

function checkLimits(
  { mtu, mac }: { mtu?: number | undefined; mac?: string | undefined },
  kind: string | undefined,
  what: string,
): void {
  if (mtu !== undefined && kind !== 'ifb' && kind !== 'dummy' && kind !== undefined) {
    if (mtu < 68) throw refusal(what, 'EINVAL', 'mtu less than device minimum')
    if (mtu > 65535) throw refusal(what, 'EINVAL', 'mtu greater than device maximum')
  }
  if (mac !== undefined && (Number.parseInt(mac.slice(0, 2), 16) & 1) === 1) throw refusal(what, 'EADDRNOTAVAIL')
}
